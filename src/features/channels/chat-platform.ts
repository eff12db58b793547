import { ProxyFailure } from '../../base/lib/proxy-access.ts'
import type { ChatChange, ChatMessage, ChatPlace, ReadQuote } from './chat-message.ts'
import type { ChannelLinkState } from './contract/channels.ts'
import type { UnreadChats } from './unread-chats.ts'

/** One message that Iris posts. */
export interface NewChatPost {
  readonly channelId: string
  readonly text: string
  /** An answer of an agent. Iris's own texts are shown as they are. */
  readonly isMarkdown: boolean
  /** A placeholder: a second one does no harm. */
  readonly mayRepeat: boolean
  /** The platform's id of the message that it replies to. */
  readonly replyTo: string | undefined
  /** Unique to this post, at most 25 letters, digits and signs: lets the platform recognize a repetition. */
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly buttons?: ChatButtons | undefined
  /** Posted instead of the text. */
  readonly file?: PostedFile | undefined
}

/** A file that is posted. */
export interface PostedFile {
  readonly name: string
  readonly content: Uint8Array
  /** What `upload` returned; null where the platform has none. */
  readonly upload: string | null
}

/** Two buttons, or only the one that denies. */
export interface ChatButtons {
  /** At most 30 letters, digits, - and _. Comes back with a click. */
  readonly token: string
  readonly canAllow: boolean
}

/** Someone clicked a button of a post. */
export interface ChatClick {
  readonly token: string
  readonly decision: 'allow' | 'deny'
  /** The platform's id, never a name. */
  readonly senderId: string
  /** The ids of the chat and of the message that has the button. */
  readonly chatId: string
  readonly messageId: string
}

/** The data of buttons: `iris:<token>:allow`. */
export function buttonValue(token: string, decision: ChatClick['decision']): string {
  return `iris:${token}:${decision}`
}

/** Undefined for a value that no button of Iris carries. */
export function readButton(value: unknown): Pick<ChatClick, 'token' | 'decision'> | undefined {
  const [, token, decision] = /^iris:([\w-]{1,30}):(allow|deny)$/.exec(typeof value === 'string' ? value : '') ?? []
  return token === undefined ? undefined : { token, decision: decision as ChatClick['decision'] }
}

/** A message of a chat's past. */
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
  /** The longest text of one post, and how long the platform takes a text to be. */
  readonly longestText: number
  lengthOf(text: string): number
  /** The least time between two edits of a post, in milliseconds. */
  streamEveryMs(channelId: string): number
  /** Returns the platform's id of the post. Throws ChatFailure. */
  post(post: NewChatPost): Promise<string>
  /**
   * For a post that may have been posted before: returns its id, after posting it if it was not. Undefined: the
   * platform cannot say. Throws ChatFailure.
   */
  postOnce(post: NewChatPost): Promise<string | undefined>
  /** Gives the content of a file to a platform that wants it before the post. May be repeated. Throws ChatFailure. */
  readonly upload?: (file: PostedFile) => Promise<string>
  /** Puts a reaction on a message. Idempotent. Throws ChatFailure. */
  react(channelId: string, messageId: string, reaction: string): Promise<void>
  /** The content of a file of a message. Throws DownloadFailure. */
  download(place: string, mostBytes: number, signal: AbortSignal): Promise<Buffer>
  /** Shows for some seconds that an answer is being written; undefined: the platform shows bots nothing of the kind. */
  readonly typing?: (channelId: string) => Promise<void>
  /** The last messages, oldest first; undefined where bots see none. Throws ChatFailure. */
  history(channelId: string, limit: number): Promise<PastMessage[] | undefined>
  /**
   * The message with which the thread of a chat begins; undefined if there is none, or it is the message `messageId`.
   * Absent where the platform sends it along. Throws ChatFailure.
   */
  readonly threadRoot?: (channelId: string, messageId: string) => Promise<ReadQuote | undefined>
  /** A person's display name, for platforms whose messages do not include it; undefined: it is unknown to the bot. */
  readonly nameOf?: (senderId: string) => Promise<string | undefined>
  /** Idempotent; takes buttons away. Throws ChatFailure. */
  edit(channelId: string, messageId: string, text: string, isMarkdown: boolean): Promise<void>
}

/** Repeats a step that fails, after the pause that the platform wants, until it succeeds or the channel ends. */
export type Tried = <T>(step: () => Promise<T>) => Promise<T>

/** What a platform's library needs to read the histories of chats. */
export interface ChatReading {
  readonly tried: Tried
  /** Gives the chats one after the other, and shows people how many are read. More may be added meanwhile. */
  each<T>(chats: UnreadChats<T>): Iterable<T>
}

/** Messages from before a connection. */
export interface OlderMessages {
  /** Rate limits would end a long reading at the same place each time, so each request is made through `tried`. */
  read(reading: ChatReading): AsyncIterable<ChatMessage>
  /** Whether older messages of its chat are still to be read; that chat is then read next. */
  waits(message: ChatPlace): boolean
  /** The cursor up to which all messages are stored once everything is read. */
  cursorAfter(): string
}

/** Someone who wrote in a chat. */
export interface ChatWriter {
  readonly channelId: string
  readonly sender: string
  /** When Iris got the newest message, in milliseconds since the epoch. */
  readonly receivedAt: number
}

/** The callbacks for a platform's library. Nothing is acknowledged before it is stored. */
export interface ChatInbox {
  /** Call it once the platform accepted the token, before anything else. */
  open(platform: ChatPlatform): void
  /** The cursor up to which messages were stored; '0' if the source is new. */
  cursor(): string
  /** The state of the connection, if the library keeps it on its own. */
  set(state: ChannelLinkState): void
  /**
   * Returns the result of `read`; undefined, with a line in the log, for an update that does not match the platform's
   * description.
   */
  readable<T>(read: () => T): T | undefined
  /** Resolves once the message is stored; false: the connection ended before, or too many wait. One after another. */
  take(message: ChatMessage): Promise<boolean>
  /**
   * The platform itself reports that a group continues under another id. Ignored unless config.yaml lists the group.
   */
  moved(from: string, to: string): void
  /** Like `take`, for an edit or a deletion. */
  change(change: ChatChange): Promise<boolean>
  /** Returns the text to show to the person who clicked. */
  click(click: ChatClick): string
  /** Everything up to `cursor` is stored or needs no row. */
  passed(cursor: string): void
  /** Takes older messages before newer ones of their chats, and notes the cursor after all of them. */
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
  /** The missing rights, each as a sentence that says what to do. */
  readonly missing: readonly string[]
}

/** The library of one platform, for one bot. It translates and decides nothing. */
export interface ChatAdapter {
  /** Ids of messages start over in a group that continues under another id. */
  readonly restartsIds?: true
  /** Receives until `signal` aborts. Rejects when the connection fails; its owner calls again after a pause. */
  listen(inbox: ChatInbox, signal: AbortSignal): Promise<void>
  /**
   * Asks the platform who the bot is, and what it lacks for this channel, without receiving messages. Rejects like
   * `listen`.
   */
  inspect(signal: AbortSignal): Promise<Inspection>
  /** The meaning of an error of `listen`, and how long to wait before the next attempt. */
  problem(error: unknown): { readonly state: ChannelLinkState & { readonly why: string }; readonly pauseMs: number }
}

/**
 * Why the platform failed. `later`: not done, retry after `retryAfterMs`; `unknown`: it may have been done; `gone`: the
 * message to edit does not exist; `never`: permanent.
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

/** A request that brought no answer: only some failures say that it never arrived. */
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
