import {
  type Button,
  type KnownBlock,
  type RichTextBlock,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  type WebClient,
} from '@slack/web-api'
import { download } from '../../../base/lib/download.ts'
import type { WayOut } from '../../../base/lib/proxy-access.ts'
import type { ReadQuote } from '../chat-message.ts'
import {
  buttonValue,
  type ChatButtons,
  ChatFailure,
  type ChatPlatform,
  connectionFailure,
  type NewChatPost,
  type PostedFile,
} from '../chat-platform.ts'
import { rootQuote, unescaped } from './content.ts'
import { stampAt } from './read-message.ts'
import { richText } from './rich-text.ts'
import type { SlackMessage } from './slack-message.ts'

const maxPostCharacters = 4000
/** Slack accepts about 50 edits a minute. */
const streamEveryMs = 1500
/** The pause after a refused token, because the owner may correct the token. */
const tokenPauseMs = 30_000
/** Iris looks for a post from this long before its creation, because the clocks of Slack and this machine differ. */
const clocksDifferMs = 300_000
/** Slack's names for the reactions. */
const reactionNames: Readonly<Record<string, string>> = {
  '👍': 'thumbsup',
  '👎': 'thumbsdown',
  '❤': 'heart',
  '🔥': 'fire',
  '🎉': 'tada',
  '👀': 'eyes',
}
const uploadTimeoutMs = 120_000
const eventType = 'iris_post'
const blockErrors = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'])

interface SlackPlace {
  /** The bot's own id. */
  readonly me: string
  readonly token: string
  readonly apiRoot: string | undefined
  readonly wayOut?: WayOut | undefined
}

/**
 * Posts in the chats of one bot. Nothing that an agent writes mentions anybody or becomes a link that hides its
 * address.
 */
export function slackPlatform(web: WebClient, { me, token, apiRoot, wayOut }: SlackPlace): ChatPlatform {
  const fetch = wayOut?.fetch ?? globalThis.fetch
  const origins = [apiRoot === undefined ? 'https://files.slack.com' : new URL(apiRoot).origin]
  const plain = { mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false } as const
  const post = async ({ channelId, text, isMarkdown, key, buttons, file }: NewChatPost): Promise<string> => {
    const { channel, thread } = placeOf(channelId)
    if (file !== undefined) return share(web, { channel, thread, file })
    const metadata = { event_type: eventType, event_payload: { key } }
    const message = {
      ...plain,
      channel,
      text: escaped(text),
      metadata,
      ...(thread !== undefined && { thread_ts: thread }),
      ...(buttons !== undefined && { blocks: blocks(text, buttons) }),
    }
    return formatted(text, isMarkdown, async (shown) => {
      const posted = await web.chat.postMessage({ ...message, ...(shown && { blocks: [shown] }) })
      return posted.ts ?? ''
    })
  }
  return {
    longestText: maxPostCharacters,
    lengthOf: (text) => escaped(text).length,
    streamEveryMs: () => streamEveryMs,
    post,
    // Iris recognizes its own post by the metadata that Slack keeps with it.
    postOnce: async (again) =>
      again.file === undefined ? ((await posted(web, again)) ?? post(again)) : isShared(web, again.file),
    upload: (file) => upload(web, file, { origins, fetch }),
    async react(channelId, messageId, reaction) {
      const { channel } = placeOf(channelId)
      const name = reactionNames[reaction] ?? ''
      await web.reactions.add({ channel, timestamp: messageId, name }).catch((error: unknown) => {
        if (slackError(error) !== 'already_reacted') asFailure(error)
      })
    },
    // Without the scope files:read, Slack redirects to its sign-in page.
    download: (address, mostBytes, signal) =>
      download(address, { origins, mostBytes, signal, fetch, headers: { authorization: `Bearer ${token}` } }),
    async history(channelId, limit) {
      const { channel, thread } = placeOf(channelId)
      const { messages = [] } = await (thread === undefined
        ? web.conversations.history({ channel, limit })
        : web.conversations.replies({ channel, ts: thread, limit })
      ).catch(asFailure)
      const oldestFirst = messages.toSorted((a, b) => Number(a.ts) - Number(b.ts)).slice(-limit)
      return oldestFirst.map(({ ts, user = '', text = '' }) => ({
        sender: user,
        name: user,
        isYou: user === me,
        text: unescaped(text),
        at: Math.floor(Number(ts) * 1000),
      }))
    },
    threadRoot: (channelId, messageId) => threadRoot(web, placeOf(channelId), { me, messageId }),
    nameOf: (user) => nameOf(web, user),
    async edit(channelId, messageId, text, isMarkdown) {
      const { channel } = placeOf(channelId)
      const edited = { channel, ts: messageId, text: escaped(text), parse: 'none', link_names: false } as const
      await formatted(text, isMarkdown, (shown) => web.chat.update({ ...edited, blocks: shown ? [shown] : [] }))
    },
  }
}

async function threadRoot(
  web: WebClient,
  { channel, thread }: ReturnType<typeof placeOf>,
  { me, messageId }: { readonly me: string; readonly messageId: string },
): Promise<ReadQuote | undefined> {
  if (thread === undefined || thread === messageId) return undefined
  const range = { channel, ts: thread, latest: thread, inclusive: true, limit: 1 }
  const { messages = [] } = await web.conversations.replies(range).catch(asFailure)
  const root = messages.find(({ ts }) => ts === thread) as SlackMessage | undefined
  return root && rootQuote(root, me)
}

/** Without the scope users:read, Slack refuses this request. */
async function nameOf(web: WebClient, id: string): Promise<string | undefined> {
  const { user: { name, profile } = {} } = await web.users.info({ user: id })
  return profile?.display_name || profile?.real_name || name
}

/** Posts an answer with its formatted block, or without it if Slack refuses the block. Throws ChatFailure. */
async function formatted<Sent>(
  text: string,
  isMarkdown: boolean,
  send: (block: RichTextBlock | undefined) => Promise<Sent>,
): Promise<Sent> {
  const block = isMarkdown ? richText(text) : undefined
  return send(block).catch((error: unknown) =>
    block !== undefined && blockErrors.has(slackError(error) ?? '')
      ? send(undefined).catch(asFailure)
      : asFailure(error),
  )
}

/** Uploads the content, which nobody can see until it is shared. */
async function upload(
  web: WebClient,
  { name, content }: PostedFile,
  { origins, fetch }: { origins: readonly string[]; fetch: typeof globalThis.fetch },
): Promise<string> {
  const begun = await web.files.getUploadURLExternal({ filename: name, length: content.length }).catch(asFailure)
  const { upload_url: address = '', file_id: id = '' } = begun
  if (!URL.canParse(address) || !origins.includes(new URL(address).origin))
    throw new ChatFailure('never', 'Slack gave an upload address on an unexpected server')
  const signal = AbortSignal.timeout(uploadTimeoutMs)
  const body = new Uint8Array(content)
  const response = await fetch(address, { method: 'POST', body, redirect: 'manual', signal }).catch(() => {
    throw new ChatFailure('later', 'the connection broke')
  })
  await response.body?.cancel()
  const { ok, status } = response
  if (!ok) throw new ChatFailure(status === 429 || status >= 500 ? 'later' : 'never', `the upload got status ${status}`)
  return id
}

async function share(
  web: WebClient,
  { channel, thread, file }: { channel: string; thread: string | undefined; file: PostedFile },
): Promise<string> {
  const id = file.upload ?? ''
  const where = { channel_id: channel, ...(thread !== undefined && { thread_ts: thread }) }
  await web.files.completeUploadExternal({ files: [{ id, title: file.name }], ...where }).catch(asFailure)
  return id
}

/**
 * Whether Slack has shared a file. A file that is shared nowhere may still be in progress, so the result is then
 * unknown.
 */
async function isShared(web: WebClient, { upload: id }: PostedFile): Promise<string | undefined> {
  if (id === null) return undefined
  const { file } = await web.files
    .info({ file: id })
    .catch((error: unknown) => (slackError(error) === 'file_not_found' ? { file: undefined } : asFailure(error)))
  const places = [...(file?.channels ?? []), ...(file?.groups ?? []), ...(file?.ims ?? [])]
  return places.length > 0 || Object.keys(file?.shares ?? {}).length > 0 ? id : undefined
}

/** Blocks of plain text are shown literally. */
function blocks(text: string, { token, canAllow }: ChatButtons): KnownBlock[] {
  const button = (label: string, decision: 'allow' | 'deny'): Button => ({
    type: 'button',
    action_id: decision,
    value: buttonValue(token, decision),
    text: { type: 'plain_text', text: label },
  })
  const deny = button('Deny', 'deny')
  return [
    { type: 'section', text: { type: 'plain_text', text, emoji: false } },
    { type: 'actions', elements: canAllow ? [{ ...button('Allow once', 'allow'), style: 'danger' }, deny] : [deny] },
  ]
}

async function posted(web: WebClient, { channelId, key, createdAt }: NewChatPost): Promise<string | undefined> {
  const { channel, thread } = placeOf(channelId)
  const range = { channel, oldest: stampAt(createdAt - clocksDifferMs), include_all_metadata: true, limit: 200 }
  for (let cursor: string | undefined; ; ) {
    const page = await (thread === undefined
      ? web.conversations.history({ ...range, ...(cursor !== undefined && { cursor }) })
      : web.conversations.replies({ ...range, ts: thread, ...(cursor !== undefined && { cursor }) })
    ).catch(asFailure)
    const found = page.messages?.find(({ metadata }) => {
      const payload: object = { ...metadata?.event_payload }
      return metadata?.event_type === eventType && 'key' in payload && payload.key === key
    })
    if (found?.ts !== undefined) return found.ts
    cursor = page.response_metadata?.next_cursor || undefined
    if (cursor === undefined) return undefined
  }
}

/** `C2`, `T1/C2` or `T1/C2/1700000000.000100`: the channel and the thread. */
export function placeOf(channelId: string): { readonly channel: string; readonly thread: string | undefined } {
  const parts = channelId.split('/')
  return { channel: parts[1] ?? channelId, thread: parts[2] }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function asFailure(error: unknown): never {
  throw failureOf(error)
}

const tokenErrors = new Set(['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'])
const goneErrors = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed'])
const ownErrors = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'])

/** Slack's code for an error; undefined if the error does not come from Slack. */
export function slackError(error: unknown): string | undefined {
  return error instanceof WebAPIPlatformError ? error.data.error : undefined
}

export function isTokenError(error: unknown): boolean {
  return tokenErrors.has(slackError(error) ?? '')
}

export function failureOf(error: unknown): ChatFailure {
  if (error instanceof ChatFailure) return error
  if (error instanceof WebAPIRateLimitedError) {
    return new ChatFailure('later', 'Slack asks to wait', error.retryAfter * 1000)
  }
  const name = slackError(error)
  if (name !== undefined) {
    if (tokenErrors.has(name)) return new ChatFailure('later', name, tokenPauseMs)
    if (ownErrors.has(name)) return new ChatFailure('unknown', name)
    return new ChatFailure(goneErrors.has(name) ? 'gone' : 'never', name)
  }
  if (error instanceof WebAPIHTTPError) return new ChatFailure('unknown', `${error.statusCode} ${error.statusMessage}`)
  return connectionFailure(error instanceof WebAPIRequestError ? error.original : error)
}
