import type { ChatChange } from '../chat-message.ts'
import { channelIdOf, type Place, readMessage } from './read-message.ts'
import type { SlackMessage } from './slack-message.ts'

/** The event for an edited or deleted message. */
export interface SlackChange {
  readonly ts: string
  readonly message?: SlackMessage | undefined
  readonly previous_message?: SlackMessage | undefined
  readonly deleted_ts?: string | undefined
}

/**
 * Undefined for a change that leaves a person's words unchanged, such as a link preview, a reply or a pin. A deleted
 * message that has a thread stays as a tombstone.
 */
export function readChange(
  event: SlackChange & { readonly subtype?: string | undefined },
  place: Place,
): ChatChange | undefined {
  const { subtype, message, previous_message: before, deleted_ts: gone, ts } = event
  const { me, channel } = place
  const isDeleted = subtype === 'message_deleted' || message?.subtype === 'tombstone'
  const messageId = gone ?? message?.ts
  if (messageId === undefined || (subtype !== 'message_changed' && subtype !== 'message_deleted')) return undefined
  const version = Math.round(Number(ts) * 1_000_000)
  const isDirect = channel.startsWith('D')
  if (isDeleted) {
    const channelId = channelIdOf(me, channel, before?.thread_ts)
    return { channelId, isDirect, senderId: before?.user ?? '', messageId, cursor: undefined, version, now: undefined }
  }
  const isSame = before !== undefined && before.text === message?.text && filesIn(before) === filesIn(message)
  if (message === undefined || isSame || message.edited === undefined) return undefined
  const now = readMessage(message, place)
  return now && { ...now, cursor: undefined, version, now }
}

function filesIn(message: SlackMessage | undefined): number {
  return message?.files?.length ?? 0
}
