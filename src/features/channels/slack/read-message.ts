import type { ChatMessage } from '../chat-message.ts'
import type { MessageKind } from '../message-kinds.ts'
import { contentOf } from './content.ts'
import { slackSubtypes } from './kinds.ts'
import type { Me, SlackMessage } from './slack-message.ts'

export interface Place {
  readonly me: Me
  readonly channel: string
  readonly cursor: string
}

/**
 * Undefined for a message that nobody wrote. The sender is the id that Slack gives, whatever the message's text or the
 * author's name claims.
 */
export function readMessage(message: SlackMessage, { me, channel, cursor }: Place): ChatMessage | undefined {
  const { ts, subtype, user, bot_id: bot, text = '', thread_ts: thread, parent_user_id: parent } = message
  if (!isWritten(subtype) || user === me.user) return undefined
  const mention = `<@${me.user}>`
  return {
    updateId: `${channel}:${ts}`,
    cursor,
    messageId: ts,
    channelId: channelIdOf(me, channel, thread),
    groupId: channel,
    senderId: user ?? '',
    senderName: user ?? '',
    isBot: bot !== undefined || user === undefined,
    isDirect: channel.startsWith('D'),
    isAddressed: text.includes(mention) || parent === me.user,
    ...contentOf(message, me.user),
    sentAt: Math.floor(Number(ts) * 1000),
  }
}

export function channelIdOf({ team }: Me, channel: string, thread: string | undefined): string {
  return [team, channel, ...(thread === undefined ? [] : [thread])].join('/')
}

/** A message with an unknown subtype is a notice: Slack has a subtype for each kind of notice. */
function isWritten(subtype: string | undefined): boolean {
  const known: Readonly<Record<string, MessageKind>> = slackSubtypes
  return subtype === undefined || (Object.hasOwn(known, subtype) && known[subtype]!.becomes === 'taken')
}

/** Slack's timestamps are seconds with six decimals. */
export function stampAt(time: number): string {
  return (Math.max(0, time) / 1000).toFixed(6)
}

export function laterOf(one: string, other: string): string {
  return Number(one) > Number(other) ? one : other
}

export function earlierOf(one: string, other: string): string {
  return laterOf(one, other) === one ? other : one
}
