import { visible } from '../../base/lib/visible.ts'

/** A message of a person in a chat, as an adapter reads it from its platform. Strangers write it. */
export interface ChatMessage {
  /** Unlike any other of this source; the platform may deliver it again. */
  readonly updateId: string
  /** What the platform is told to have been taken, once this message is stored. */
  readonly cursor: string
  /** `123`, or `123/7` for a topic: digits, a sign and a slash only. */
  readonly channelId: string
  /** The platform's numeric id, never a name. */
  readonly senderId: string
  readonly senderName: string
  /** A bot, a webhook, or a message in the name of a group: it is not answered. */
  readonly isBot: boolean
  readonly isDirect: boolean
  /** It names the bot, or replies to it. */
  readonly isAddressed: boolean
  readonly messageId: string
  readonly text: string
  /** Milliseconds since the epoch, by the platform's clock. */
  readonly sentAt: number
}

/** Posts in the chats of one source. Owned here, implemented by the platforms' adapters. */
export interface ChatPlatform {
  /** The longest text of one post, UTF-16 units. */
  readonly longestText: number
  /** Returns the platform's id of the post. Throws ChatFailure. */
  post(channelId: string, text: string, replyTo: string | undefined): Promise<string>
  /** Twice the same is once. Throws ChatFailure. */
  edit(channelId: string, messageId: string, text: string): Promise<void>
}

/**
 * Why the platform did not do it. `later`: it certainly did not, and may after `retryAfterMs`; `unknown`: nobody knows
 * whether it did; `gone`: the message to edit is not there; `never`: it will not.
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

/** A name that people chose themselves: on one line, short, with nothing invisible in it. */
export function shownName(name: string): string {
  const cut = visible(name.toWellFormed()).replace(/\s+/g, ' ').trim().slice(0, longestName).toWellFormed()
  return cut === '' ? '(no name)' : cut
}

const channelId = /^-?\d{1,20}(?:\/\d{1,20})?$/

/** The asker: it goes into envelopes, threads and logs, so that it is numbers and nothing else. */
export function partyOf(platform: string, id: string): string {
  if (!channelId.test(id)) throw new Error(`${JSON.stringify(id)} is no id of a chat`)
  return `${platform}:${id}`
}

export function channelIdOf(party: string): string {
  return party.slice(party.indexOf(':') + 1)
}
