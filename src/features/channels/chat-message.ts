import { visible } from '../../base/lib/visible.ts'
import { isProgramAsker } from '../../base/protocol/program.ts'
import { isTriggerAsker } from '../../base/protocol/trigger.ts'

/** A message from a chat, as an adapter reads it from its platform. Its texts come from strangers. */
export interface ChatMessage {
  /**
   * Unique among the messages of one configured channel. If the platform delivers a message again, this id is the same.
   */
  readonly updateId: string
  /** Acknowledged to the platform once this message is stored. */
  readonly cursor: string
  /** Where Iris posts: `123`, `123/7` for a topic, `T1/C2/1700000000.000100` for a thread of Slack. */
  readonly channelId: string
  /** The id of the whole chat, without the topic or thread, as in config.yaml. */
  readonly groupId: string
  /** The platform's id of the sender, never a name. */
  readonly senderId: string
  readonly senderName: string
  /** The sender is a bot, a webhook, or a group that posts in its own name; such a message gets no answer. */
  readonly isBot: boolean
  readonly isDirect: boolean
  /** The message mentions the bot or replies to the bot. */
  readonly isAddressed: boolean
  readonly messageId: string
  /** The sender's own words. */
  readonly text: string
  readonly files?: readonly ChatFile[] | undefined
  /** The messages that this one refers to, if the platform includes them. */
  readonly quotes?: readonly ChatQuote[] | undefined
  /** The parts that Iris does not read, in words for the chat: `a voice message`. */
  readonly left?: readonly string[] | undefined
  /** Milliseconds since the epoch, by the platform's clock. */
  readonly sentAt: number
}

/** Where something was written, and by whom. */
export type ChatPlace = Pick<ChatMessage, 'channelId' | 'isDirect' | 'senderId'>

/** An edit or a deletion of a message. */
export interface ChatChange extends ChatPlace, Pick<ChatMessage, 'messageId'> {
  /**
   * Acknowledged to the platform once this change is stored. Undefined if the platform has cursors for messages only.
   */
  readonly cursor: string | undefined
  /** Grows with each change of the message. */
  readonly version: number
  /** The message as it is now; undefined if it was deleted. */
  readonly now: ChatMessage | undefined
}

/** A picture or another file in a message, still on the platform. */
export interface ChatFile {
  /** Chosen by the person who sent it. */
  readonly name: string
  readonly bytes: number | undefined
  /** Where the adapter finds it. */
  readonly place: string
}

/** The author of the quoted text, according to the platform. */
export interface ChatAuthor {
  /** The platform's id; undefined if the platform gives none. */
  readonly id: string | undefined
  /** Anyone can choose any name, so it proves nothing. */
  readonly name: string
  /** The author is the bot itself. */
  readonly isYou: boolean
}

/** A message to which another message refers, and which someone else may have written. */
export interface ChatQuote {
  /** `part`: the part that the sender marked in the message replied to; `thread`: the first message of the thread. */
  readonly how: 'reply' | 'part' | 'forward' | 'share' | 'thread'
  /** Undefined if the platform does not say who wrote it. */
  readonly author: ChatAuthor | undefined
  /** Empty if the message has only files. */
  readonly text: string
}

/** What Iris reads of a message to which another one refers. */
export interface ReadQuote {
  readonly quotes: readonly ChatQuote[]
  /** The parts that Iris does not read, in words for the chat. */
  readonly left: readonly string[]
}

const maxName = 64

/**
 * A name that someone chose for themselves: on one line, at most 64 UTF-16 units, with invisible characters made
 * visible.
 */
export function shownName(name: string): string {
  const cut = visible(name.toWellFormed()).replace(/\s+/g, ' ').trim().slice(0, maxName).toWellFormed()
  return cut === '' ? '(no name)' : cut
}

const channelIdPattern = /^-?[A-Z0-9]{1,24}(?:\/[A-Z0-9.]{1,24}){0,2}$/

/**
 * The name under which a chat asks: `telegram:123`. Throws an Error for an id with unexpected characters, because the
 * name goes into envelopes and logs.
 */
export function chatOf(platform: string, id: string): string {
  if (!channelIdPattern.test(id)) throw new Error(`${JSON.stringify(id)} is no id of a chat`)
  return `${platform}:${id}`
}

/**
 * Whether an asker is a chat on a platform. Names of teams have no colon. Viewers of the dashboard, programs and
 * triggers have one, but they are not chats.
 */
export function isChat(asker: string): boolean {
  if (!asker.includes(':') || asker.startsWith('viewer:')) return false
  return !isProgramAsker(asker) && !isTriggerAsker(asker)
}

export function channelIdOf(chat: string): string {
  return chat.slice(chat.indexOf(':') + 1)
}
