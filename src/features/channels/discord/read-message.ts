import { MessageType } from 'discord.js'
import type { ChatMessage } from '../chat-message.ts'
import type { MessageKind } from '../message-kinds.ts'
import { contentOf, type Reader } from './content.ts'
import type { DiscordMessage } from './discord-message.ts'
import { discordTypes } from './kinds.ts'

interface Place extends Reader {
  readonly isDirect: boolean
  /** The channel to which the chat belongs, if it is a thread. */
  readonly parent: string | undefined
  readonly cursor: string
}

/**
 * Undefined for a message that nobody wrote. The sender is the id that Discord gives, whatever the message's text or
 * the author's name claims.
 */
export function readMessage(message: DiscordMessage, place: Place): ChatMessage | undefined {
  const { me, isDirect, parent, cursor, readsTexts } = place
  const { id, channel_id: channel, type, author, mentions } = message
  if (!isWritten(type) || author.id === me) return undefined
  return {
    updateId: id,
    cursor,
    messageId: id,
    isDirect,
    channelId: parent === undefined ? channel : `${parent}/${channel}`,
    groupId: parent ?? channel,
    senderId: author.id,
    senderName: author.global_name ?? author.username,
    isBot: author.bot === true || message.webhook_id !== undefined,
    isAddressed: mentions.some((one) => one.id === me) || message.referenced_message?.author.id === me,
    ...contentOf(message, { me, readsTexts: readsTexts || isDirect }),
    sentAt: timeOf(id),
  }
}

/** People's messages have one of two types, so a message of an unknown type is a notice. */
function isWritten(type: number): boolean {
  const known: Readonly<Record<string, MessageKind>> = discordTypes
  return known[MessageType[type] ?? '']?.becomes === 'taken'
}

/** Discord's ids begin with the time, in milliseconds since 2015. */
const epoch = 1_420_070_400_000

export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + epoch
}

/** The lowest id for this time. */
export function idAt(time: number): string {
  return String(BigInt(Math.max(0, Math.floor(time) - epoch)) << 22n)
}

export function laterOf(one: string, other: string): string {
  return BigInt(one) > BigInt(other) ? one : other
}

export function earlierOf(one: string, other: string): string {
  return laterOf(one, other) === one ? other : one
}
