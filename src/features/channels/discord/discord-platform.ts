import {
  ButtonStyle,
  ComponentType,
  DiscordAPIError,
  HTTPError,
  MessageFlags,
  RateLimitError,
  type REST,
  Routes,
} from 'discord.js'
import { download } from '../../../base/lib/download.ts'
import type { WayOut } from '../../../base/lib/proxy-access.ts'
import {
  buttonValue,
  type ChatButtons,
  ChatFailure,
  type ChatPlatform,
  connectionFailure,
  type NewChatPost,
} from '../chat-platform.ts'
import { rootQuote } from './content.ts'
import { disarmed } from './disarmed.ts'
import type { DiscordMessage } from './discord-message.ts'
import { timeOf } from './read-message.ts'

const maxPostCharacters = 2000
/** Discord accepts five edits per five seconds in a channel. */
const streamEveryMs = 1200
/** Discord says that it recognizes a nonce for "the past few minutes". */
const nonceForMs = 120_000
/** The pause after a refused token, because the owner may correct the token. */
const tokenPauseMs = 30_000
const unknownMessage = 10_008

/** Where Discord keeps the files of messages. Anyone who has a file's address may read it. */
const fileOrigins = ['https://cdn.discordapp.com', 'https://media.discordapp.net']

interface DiscordPlace {
  /** The bot's own id. */
  readonly me: string
  readonly readsAll: boolean
  readonly now: () => number
  readonly apiRoot: string | undefined
  readonly wayOut?: WayOut | undefined
}

/**
 * Posts in the chats of one bot. Nothing that an agent writes notifies anybody or becomes a link that hides its
 * address.
 */
export function discordPlatform(rest: REST, { me, readsAll, now, apiRoot, wayOut }: DiscordPlace): ChatPlatform {
  const origins = apiRoot === undefined ? fileOrigins : [new URL(apiRoot).origin]
  const plain = { allowed_mentions: { parse: [] }, flags: MessageFlags.SuppressEmbeds }
  const post = async ({ channelId, text, replyTo, key: nonce, buttons, file }: NewChatPost): Promise<string> => {
    const reply = { message_reference: { message_id: replyTo, fail_if_not_exists: false } }
    const body = {
      ...plain,
      ...(file === undefined && { content: disarmed(text) }),
      nonce,
      enforce_nonce: true,
      ...(replyTo !== undefined && reply),
      ...(buttons !== undefined && { components: [row(buttons)] }),
    }
    const files = file === undefined ? [] : [{ name: file.name, data: Buffer.from(file.content) }]
    const posted = await rest.post(Routes.channelMessages(placeOf(channelId)), { body, files }).catch(asFailure)
    return (posted as { id: string }).id
  }
  return {
    longestText: maxPostCharacters,
    lengthOf: (text) => disarmed(text).length,
    streamEveryMs: () => streamEveryMs,
    post,
    postOnce: async (again) => (now() - again.createdAt < nonceForMs ? post(again) : undefined),
    async react(channelId, messageId, reaction) {
      const route = Routes.channelMessageOwnReaction(placeOf(channelId), messageId, encodeURIComponent(reaction))
      await rest.put(route).catch(asFailure)
    },
    async typing(channelId) {
      await rest.post(Routes.channelTyping(placeOf(channelId)))
    },
    download: (address, mostBytes, signal) => download(address, { origins, mostBytes, signal, fetch: wayOut?.fetch }),
    async history(channelId, limit) {
      const query = new URLSearchParams({ limit: String(limit) })
      const found = await rest.get(Routes.channelMessages(placeOf(channelId)), { query }).catch(asFailure)
      return (found as DiscordMessage[]).toReversed().map(({ id, author, content }) => ({
        sender: author.id,
        name: author.global_name ?? author.username,
        isYou: author.id === me,
        text: content,
        at: timeOf(id),
      }))
    },
    async threadRoot(channelId, messageId) {
      const root = await threadRoot(rest, channelId, messageId).catch(asFailure)
      return root && rootQuote(root, { me, readsTexts: readsAll })
    },
    async edit(channelId, messageId, text) {
      const body = { ...plain, content: disarmed(text), components: [] }
      await rest.patch(Routes.channelMessage(placeOf(channelId), messageId), { body }).catch(asFailure)
    },
  }
}

function row({ token, canAllow }: ChatButtons) {
  const button = { type: ComponentType.Button }
  const deny = { ...button, style: ButtonStyle.Secondary, label: 'Deny', custom_id: buttonValue(token, 'deny') }
  const allow = { ...button, style: ButtonStyle.Danger, label: 'Allow once', custom_id: buttonValue(token, 'allow') }
  return { type: ComponentType.ActionRow, components: canAllow ? [allow, deny] : [deny] }
}

/**
 * A thread has the same id as its first message. That message is in the thread's channel or, in a forum, in the thread
 * itself.
 */
async function threadRoot(rest: REST, channelId: string, messageId: string): Promise<DiscordMessage | undefined> {
  const [parent, thread] = channelId.split('/')
  if (parent === undefined || thread === undefined || thread === messageId) return undefined
  for (const place of [parent, thread]) {
    try {
      return (await rest.get(Routes.channelMessage(place, thread))) as DiscordMessage
    } catch (error) {
      // A forum contains no messages directly.
      const isElsewhere = error instanceof DiscordAPIError && (error.status === 404 || error.status === 400)
      if (!isElsewhere) throw error
    }
  }
  return undefined
}

/** The channel or thread to which a request goes. */
export function placeOf(channelId: string): string {
  return channelId.slice(channelId.lastIndexOf('/') + 1)
}

function asFailure(error: unknown): never {
  throw failureOf(error)
}

export function failureOf(error: unknown): ChatFailure {
  if (error instanceof ChatFailure) return error
  if (error instanceof RateLimitError) return new ChatFailure('later', 'Discord asks to wait', error.retryAfter)
  if (error instanceof DiscordAPIError) {
    if (error.status === 401) return new ChatFailure('later', error.message, tokenPauseMs)
    return new ChatFailure(error.code === unknownMessage ? 'gone' : 'never', error.message)
  }
  return error instanceof HTTPError ? new ChatFailure('unknown', error.message) : connectionFailure(error)
}
