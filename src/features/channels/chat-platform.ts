import { ProxyFailure } from '../../base/lib/proxy-access.ts'
import type { ChatChange, ChatMessage, ChatPlace, ReadQuote } from './chat-message.ts'
import type { ChannelLinkState } from './contract/channels.ts'
import type { UnreadChats } from './unread-chats.ts'

/** One message that Iris posts. */
export interface NewChatPost {
  readonly channelId: string
  readonly text: string
  /** The text is an agent's answer, in Markdown. Iris's own texts are posted literally. */
  readonly isMarkdown: boolean
  /** The post is a placeholder, so posting it twice does no harm. */
  readonly mayRepeat: boolean
  /** The platform's id of the message to which this post replies. */
  readonly replyTo: string | undefined
  /** Unique to this post, at most 25 letters, digits and signs. It lets the platform recognize a repeated post. */
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly buttons?: ChatButtons | undefined
  /** Posted in place of the text. */
  readonly file?: PostedFile | undefined
}

/** A file that is posted. */
export interface PostedFile {
  readonly name: string
  readonly content: Uint8Array
  /** The value that `upload` returned; null if the platform has no `upload`. */
  readonly upload: string | null
}

/** Two buttons, or only the one for denying. */
export interface ChatButtons {
  /** At most 30 letters, digits, - and _. A click returns it. */
  readonly token: string
  readonly canAllow: boolean
}

/** Someone clicked a button of a post. */
export interface ChatClick {
  readonly token: string
  readonly decision: 'allow' | 'deny'
  /** The platform's id, never a name. */
  readonly senderId: string
  /** The ids of the chat and of the message with the button. */
  readonly chatId: string
  readonly messageId: string
}

/** The data of a button: `iris:<token>:allow`. */
export function buttonValue(token: string, decision: ChatClick['decision']): string {
  return `iris:${token}:${decision}`
}

/** Undefined for a value that belongs to no button of Iris. */
export function readButton(value: unknown): Pick<ChatClick, 'token' | 'decision'> | undefined {
  const [, token, decision] = /^iris:([\w-]{1,30}):(allow|deny)$/.exec(typeof value === 'string' ? value : '') ?? []
  return token === undefined ? undefined : { token, decision: decision as ChatClick['decision'] }
}

/** A message in a chat's history. */
export interface PastMessage {
  readonly sender: string
  readonly name: string
  readonly isYou: boolean
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Posts in the chats of one source; adapters implement it. */
export interface ChatPlatform {
  /** The longest text of one post, and the length of a text, both as the platform counts. */
  readonly longestText: number
  lengthOf(text: string): number
  /** The least time between two edits of a post, in milliseconds. */
  streamEveryMs(channelId: string): number
  /** Returns the platform's id of the post. Throws ChatFailure. */
  post(post: NewChatPost): Promise<string>
  /**
   * Posts something that may have been posted before, but never posts it twice. Returns the post's id, or undefined if
   * the platform cannot tell whether it was posted. Throws ChatFailure.
   */
  postOnce(post: NewChatPost): Promise<string | undefined>
  /** Gives a file's content to a platform that needs it before the post. May be repeated. Throws ChatFailure. */
  readonly upload?: (file: PostedFile) => Promise<string>
  /** Puts a reaction on a message. Idempotent. Throws ChatFailure. */
  react(channelId: string, messageId: string, reaction: string): Promise<void>
  /** The content of a file in a message. Throws DownloadFailure. */
  download(place: string, mostBytes: number, signal: AbortSignal): Promise<Buffer>
  /** Shows for some seconds that an answer is being written. Undefined if bots cannot do this on the platform. */
  readonly typing?: (channelId: string) => Promise<void>
  /** The last messages, oldest first. Undefined if the platform shows bots no history. Throws ChatFailure. */
  history(channelId: string, limit: number): Promise<PastMessage[] | undefined>
  /**
   * The first message of a chat's thread. Undefined if there is none, or if it is the message `messageId`. Absent if
   * the platform includes that message in its events. Throws ChatFailure.
   */
  readonly threadRoot?: (channelId: string, messageId: string) => Promise<ReadQuote | undefined>
  /** A person's display name, for platforms whose messages do not include it. Undefined if the bot cannot see it. */
  readonly nameOf?: (senderId: string) => Promise<string | undefined>
  /** Idempotent. Removes the buttons. Throws ChatFailure. */
  edit(channelId: string, messageId: string, text: string, isMarkdown: boolean): Promise<void>
}

/** Repeats a failing step, after the pause that the platform asks for, until the step succeeds or the channel ends. */
export type Tried = <T>(step: () => Promise<T>) => Promise<T>

/** What a platform's library needs to read the histories of chats. */
export interface ChatReading {
  readonly tried: Tried
  /** Returns the chats one after the other, and shows people how many have been read. More may be added meanwhile. */
  each<T>(chats: UnreadChats<T>): Iterable<T>
}

/** Messages from before a connection. */
export interface OlderMessages {
  /**
   * Every request goes through `tried`: without retries, rate limits would end a long reading at the same place each
   * time.
   */
  read(reading: ChatReading): AsyncIterable<ChatMessage>
  /** Whether older messages of this message's chat are still to be read. If so, that chat is read next. */
  waits(message: ChatPlace): boolean
  /** The cursor up to which all messages are stored once everything has been read. */
  cursorAfter(): string
}

/** Someone who wrote in a chat. */
export interface ChatWriter {
  readonly channelId: string
  readonly sender: string
  /** When Iris got the newest message, in milliseconds since the epoch. */
  readonly receivedAt: number
}

/** The callbacks for a platform's library. Nothing is acknowledged until it is stored. */
export interface ChatInbox {
  /** Call this once the platform has accepted the token, before any other callback. */
  open(platform: ChatPlatform): void
  /** The cursor up to which messages are stored; '0' if the source is new. */
  cursor(): string
  /** Reports the state of the connection, if the library maintains the connection itself. */
  set(state: ChannelLinkState): void
  /**
   * Returns the result of `read`. If an update does not match the platform's documentation, logs this and returns
   * undefined.
   */
  readable<T>(read: () => T): T | undefined
  /**
   * Resolves to true once the message is stored, or to false if the connection ended first or too many are waiting.
   * Messages are handled one after the other.
   */
  take(message: ChatMessage): Promise<boolean>
  /**
   * The platform itself reports that a group continues under another id. Ignored unless config.yaml lists the group.
   */
  moved(from: string, to: string): void
  /** Like `take`, for an edit or a deletion. */
  change(change: ChatChange): Promise<boolean>
  /** Returns the text to show to the person who clicked. */
  click(click: ChatClick): string
  /** Records that everything up to `cursor` is stored or needs no row. */
  passed(cursor: string): void
  /**
   * Stores older messages before newer ones from the same chats, and records the cursor once all of them are stored.
   */
  catchUp(older: OlderMessages): void
  /** The platform has no older messages left. */
  caughtUp(): void
  /** The ids of people who may write directly. */
  people(): readonly string[]
  /** The people who wrote, with their chats, newest message first. */
  writers(): readonly ChatWriter[]
}

/** A platform's information about a bot. */
export interface Inspection {
  /** The name of the bot. */
  readonly as: string
  /** The rights that the bot lacks, each as a sentence that says what to do. */
  readonly missing: readonly string[]
}

/** One platform's library, for one bot. It only translates; it makes no decisions. */
export interface ChatAdapter {
  /** Message ids start over in a group that continues under another id. */
  readonly restartsIds?: true
  /** Receives until `signal` aborts. Rejects when the connection fails; the caller waits and calls again. */
  listen(inbox: ChatInbox, signal: AbortSignal): Promise<void>
  /**
   * Asks the platform who the bot is, and what the bot lacks for this channel, without receiving messages. Rejects like
   * `listen`.
   */
  inspect(signal: AbortSignal): Promise<Inspection>
  /** The meaning of an error of `listen`, and how long to wait before the next attempt. */
  problem(error: unknown): { readonly state: ChannelLinkState & { readonly why: string }; readonly pauseMs: number }
}

/**
 * Why a request failed. `later`: it was not done, retry after `retryAfterMs`; `unknown`: it may have been done; `gone`:
 * the message to edit does not exist; `never`: it can never succeed.
 */
export class ChatFailure extends Error {
  readonly kind: 'later' | 'unknown' | 'gone' | 'never'
  readonly retryAfterMs: number
  /** The id under which the chat continues. */
  readonly movedTo: string | undefined

  constructor(kind: ChatFailure['kind'], message: string, retryAfterMs = 0, movedTo?: string) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.movedTo = movedTo
  }
}

const notConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'])

/** The failure of a request that got no answer. Only some errors prove that the request never arrived. */
export function connectionFailure(error: unknown): ChatFailure {
  if (error instanceof ProxyFailure) return new ChatFailure('later', error.message)
  const code = codeOf(error)
  return new ChatFailure(
    code !== undefined && notConnected.has(code) ? 'later' : 'unknown',
    code ?? 'the connection broke',
  )
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  return typeof code === 'string' ? code : cause === undefined ? undefined : codeOf(cause)
}
