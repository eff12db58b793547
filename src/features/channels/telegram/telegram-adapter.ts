import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Api, type ApiClientOptions, GrammyError } from 'grammy'
import type { WayOut } from '../../../base/lib/proxy-access.ts'
import {
  type ChatAdapter,
  type ChatClick,
  type ChatInbox,
  type ChatPlatform,
  type Inspection,
  readButton,
} from '../chat-platform.ts'
import { moveIn, readEdit } from './read-change.ts'
import { readMessage } from './read-message.ts'
import type { Me } from './telegram-message.ts'
import { failureOf, telegramPlatform } from './telegram-platform.ts'

/** How long Telegram keeps a request for updates open, and the timeout of every request, in seconds. */
const pollSeconds = 25
const timeoutSeconds = 60
/** How many updates Telegram returns at once. If there are fewer, no more are left. */
const maxUpdates = 100

interface TelegramParts {
  readonly token: string
  readonly apiRoot: string | undefined
  /** If undefined, requests go directly to the platform. */
  readonly wayOut?: WayOut | undefined
  readonly groups: Readonly<Record<string, 'mention' | 'always'>>
}

/** The adapter of one bot: fetches the bot's updates, and confirms none to Telegram before it is stored. */
export function telegramAdapter({ token, apiRoot, wayOut, groups }: TelegramParts): ChatAdapter {
  const root = (apiRoot ?? 'https://api.telegram.org').replace(/\/+$/, '')
  const options = { timeoutSeconds, apiRoot: root }
  const api = new Api(token, { ...options, ...(wayOut && asFetch(wayOut.fetch)) })
  const agent = new (root.startsWith('https:') ? HttpsAgent : HttpAgent)({ keepAlive: false })
  const fresh = wayOut ? asFetch(wayOut.freshly) : { baseFetchConfig: { agent } }
  const freshly = new Api(token, { ...options, ...fresh })
  const platform = telegramPlatform(api, { token, apiRoot: root, freshly, fetch: wayOut?.fetch })
  return {
    restartsIds: true,
    listen: (inbox, signal) => listen(api, platform, inbox, signal),
    inspect: (signal) => inspect(api, groups, signal),
    problem,
  }
}

/** grammY uses node-fetch's types. */
function asFetch(fetch: WayOut['fetch']): Pick<ApiClientOptions, 'fetch'> {
  return { fetch: fetch as NonNullable<ApiClientOptions['fetch']> }
}

async function inspect(api: Api, groups: TelegramParts['groups'], ends: AbortSignal): Promise<Inspection> {
  const signal = ends as unknown as Parameters<Api['getMe']>[0]
  const me = await api.getMe(signal)
  const { url } = await api.getWebhookInfo(signal)
  const missing = url ? ['A webhook takes the messages of this bot: remove it with deleteWebhook.'] : []
  const readsAll = Object.values(groups).includes('always')
  if (readsAll && !me.can_read_all_group_messages) {
    missing.push(
      'Telegram gives it only messages that mention it: send /setprivacy to @BotFather, then add it to the group again.',
    )
  }
  for (const group of Object.keys(groups)) {
    const { isThere, movedTo } = await isIn(api, group, me.id, signal)
    if (movedTo !== undefined) missing.push(`The group ${group} continues as ${movedTo}: write that id in config.yaml.`)
    else if (!isThere) missing.push(`It is not in the group ${group}: add it there.`)
  }
  return { as: `@${me.username}`, missing }
}

async function isIn(api: Api, group: string, id: number, signal: Parameters<Api['getMe']>[0]) {
  try {
    const { status } = await api.getChatMember(group, id, signal)
    return { isThere: status !== 'left' && status !== 'kicked' }
  } catch (error) {
    const isAnswer = error instanceof GrammyError && (error.error_code === 400 || error.error_code === 403)
    if (isAnswer) return { isThere: false, movedTo: error.parameters.migrate_to_chat_id }
    throw error
  }
}

async function listen(api: Api, platform: ChatPlatform, inbox: ChatInbox, ends: AbortSignal): Promise<void> {
  const signal = ends as unknown as Parameters<Api['getMe']>[0]
  const me = await api.getMe(signal)
  inbox.open(platform)
  for (let isFirst = true; !ends.aborted; isFirst = false) {
    const timeout = isFirst ? 0 : pollSeconds
    const question = {
      offset: Number(inbox.cursor()) + 1,
      limit: maxUpdates,
      allowed_updates: ['message', 'edited_message', 'callback_query'] as const,
      timeout,
    }
    const updates = await api.getUpdates(question, signal)
    if (!(await takeEarly(updates, { inbox, me }))) return
    for (const update of updates) if (!(await take(update, { api, inbox, me }))) return
    inbox.set({ state: 'connected', as: `@${me.username}` })
    if (updates.length < maxUpdates) inbox.caughtUp()
  }
}

type Update = Awaited<ReturnType<Api['getUpdates']>>[number]

/**
 * If a message was edited before Iris fetched it, the edit is recorded first. Otherwise the agent might get the old
 * text before the edit arrives.
 */
async function takeEarly(updates: readonly Update[], { inbox, me }: { inbox: ChatInbox; me: Me }): Promise<boolean> {
  const isOf = (message: Update['message'], other: Update['message']): boolean =>
    message?.message_id === other?.message_id && message?.chat?.id === other?.chat?.id
  for (const { update_id: id, edited_message: edited } of updates) {
    if (!edited || !updates.some(({ message }) => message && isOf(message, edited))) continue
    const change = inbox.readable(() => readEdit(id, edited, me))
    // The edit is acknowledged later, in its order.
    if (change !== undefined && !(await inbox.change({ ...change, cursor: undefined }))) return false
  }
  return true
}

/** Resolves to true once the update is stored or needs no row, or to false if the connection ended first. */
async function take(update: Update, { api, inbox, me }: { api: Api; inbox: ChatInbox; me: Me }): Promise<boolean> {
  const { update_id: id, message, edited_message: edited, callback_query: query } = update
  if (query !== undefined) await click(api, inbox, query)
  const change = edited && inbox.readable(() => readEdit(id, edited, me))
  if (change !== undefined) return inbox.change(change)
  const move = message && moveIn(message)
  if (move !== undefined) inbox.moved(move.from, move.to)
  const read = message && inbox.readable(() => readMessage(id, message, me))
  if (read !== undefined) return inbox.take(read)
  inbox.passed(String(id))
  return true
}

type Query = NonNullable<Update['callback_query']>

/** If a click is delivered again after a crash, its question is already over. */
async function click(api: Api, inbox: ChatInbox, query: Query): Promise<void> {
  const clicked = inbox.readable(() => clickIn(query))
  if (clicked === undefined) return
  const text = inbox.click(clicked)
  // Telegram shows these words for a short time; nothing is lost if they do not arrive.
  await api.answerCallbackQuery(query.id, { text }).catch(() => {})
}

function clickIn({ data, from, message }: Query): ChatClick | undefined {
  const button = readButton(data)
  if (button === undefined || message === undefined) return undefined
  const where = { chatId: String(message.chat.id), messageId: String(message.message_id) }
  return { ...button, ...where, senderId: String(from.id) }
}

function problem(error: unknown): ReturnType<ChatAdapter['problem']> {
  const { message, retryAfterMs: pauseMs } = failureOf(error)
  if (!(error instanceof GrammyError)) return { state: { state: 'retrying', why: message }, pauseMs }
  const { error_code: code, description } = error
  const refused = (why: string) => ({ state: { state: 'refused' as const, why: `${why} (${description})` }, pauseMs })
  if (code === 401 || code === 404) return refused('Telegram does not know the token')
  if (code === 409) return refused("another program is reading this bot's updates")
  return { state: { state: 'retrying', why: description }, pauseMs }
}
