import type { ChatMessage } from '../../core/channels/chat-message.ts'

/** The fields of a message of Discord that Iris reads. */
export interface DiscordMessage {
  readonly id: string
  readonly channel_id: string
  readonly type: number
  readonly author: {
    readonly id: string
    readonly username: string
    readonly global_name?: string | null | undefined
    readonly bot?: boolean | undefined
  }
  readonly webhook_id?: string | undefined
  readonly content: string
  readonly edited_timestamp?: string | null | undefined
  readonly mentions: readonly { readonly id: string }[]
  readonly attachments?:
    | readonly { readonly filename: string; readonly size: number; readonly url: string }[]
    | undefined
  readonly referenced_message?: { readonly author: { readonly id: string } } | null | undefined
}

interface Place {
  /** The bot's own id. */
  readonly me: string
  readonly isDirect: boolean
  /** The channel of which the chat is a thread. */
  readonly parent: string | undefined
  readonly cursor: string
}

/** Messages of people: a new one, and a reply. Others tell of joins, pins and the like. */
const written = new Set([0, 19])

/** Undefined for what nobody wrote. The sender is the id that Discord gives, whatever the text or the name claims. */
export function readMessage(message: DiscordMessage, { me, isDirect, parent, cursor }: Place): ChatMessage | undefined {
  const { id, channel_id: channel, type, author, content, mentions } = message
  if (!written.has(type) || author.id === me) return undefined
  return {
    ...{ updateId: id, cursor, messageId: id, isDirect },
    channelId: parent === undefined ? channel : `${parent}/${channel}`,
    groupId: parent ?? channel,
    senderId: author.id,
    senderName: author.global_name ?? author.username,
    isBot: author.bot === true || message.webhook_id !== undefined,
    isAddressed: mentions.some((one) => one.id === me) || message.referenced_message?.author.id === me,
    text: content.replace(new RegExp(`^\\s*<@!?${me}>\\s*`), ''),
    files: (message.attachments ?? []).map(({ filename: name, size: bytes, url: place }) => ({ name, bytes, place })),
    sentAt: timeOf(id),
  }
}

/** Discord's ids begin with the time, in milliseconds since 2015. */
const epoch = 1_420_070_400_000

export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + epoch
}

/** The least id of that time. */
export function idAt(time: number): string {
  return String(BigInt(Math.max(0, Math.floor(time) - epoch)) << 22n)
}

export function laterOf(one: string, other: string): string {
  return BigInt(one) > BigInt(other) ? one : other
}

export function earlierOf(one: string, other: string): string {
  return laterOf(one, other) === one ? other : one
}
