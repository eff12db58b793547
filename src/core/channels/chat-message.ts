import { visible } from '../../base/lib/visible.ts'

/** A message from a chat, as an adapter reads it from its platform. Its texts come from strangers. */
export interface ChatMessage {
  /** Unique in this source. The platform may deliver the message again. */
  readonly updateId: string
  /** Acknowledged to the platform once this message is stored. */
  readonly cursor: string
  /** `123`, or `123/7` for a topic: digits, a sign and a slash only. */
  readonly channelId: string
  /** The platform's numeric id, never a name. */
  readonly senderId: string
  readonly senderName: string
  /** A bot, a webhook, or a post in a group's name; it gets no answer. */
  readonly isBot: boolean
  readonly isDirect: boolean
  /** It mentions the bot or replies to it. */
  readonly isAddressed: boolean
  readonly messageId: string
  readonly text: string
  /** Milliseconds since the epoch, by the platform's clock. */
  readonly sentAt: number
}

/** Posts in the chats of one source; adapters implement it. */
export interface ChatPlatform {
  /** The longest text of one post, UTF-16 units. */
  readonly longestText: number
  /** Returns the platform's id of the post. Throws ChatFailure. */
  post(channelId: string, text: string, replyTo: string | undefined): Promise<string>
  /** Idempotent. Throws ChatFailure. */
  edit(channelId: string, messageId: string, text: string): Promise<void>
}

/**
 * Why the platform failed. `later`: not done, retry after `retryAfterMs`; `unknown`: it may have been done; `gone`: the
 * message to edit does not exist; `never`: permanent.
 */
export class ChatFailure extends Error {
  readonly kind: 'later' | 'unknown' | 'gone' | 'never'
  readonly retryAfterMs: number

  constructor(kind: ChatFailure['kind'], message: string, retryAfterMs = 0) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

const longestName = 64

/** A self-chosen name: on one line, at most 64 UTF-16 units, invisible characters made visible. */
export function shownName(name: string): string {
  const cut = visible(name.toWellFormed()).replace(/\s+/g, ' ').trim().slice(0, longestName).toWellFormed()
  return cut === '' ? '(no name)' : cut
}

const channelId = /^-?\d{1,20}(?:\/\d{1,20})?$/

/** The asker's name. Its id is only digits, sign and slash: it goes into envelopes and logs. Throws an Error. */
export function partyOf(platform: string, id: string): string {
  if (!channelId.test(id)) throw new Error(`${JSON.stringify(id)} is no id of a chat`)
  return `${platform}:${id}`
}

export function channelIdOf(party: string): string {
  return party.slice(party.indexOf(':') + 1)
}
