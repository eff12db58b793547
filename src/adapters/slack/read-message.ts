import type { ChatMessage } from '../../core/channels/chat-message.ts'

/** The fields of a message of Slack that Iris reads, as an event and as history give it. */
export interface SlackMessage {
  readonly ts: string
  readonly subtype?: string | undefined
  readonly user?: string | undefined
  readonly bot_id?: string | undefined
  readonly text?: string | undefined
  readonly thread_ts?: string | undefined
  readonly edited?: unknown
  readonly parent_user_id?: string | undefined
  readonly files?:
    | readonly {
        readonly name?: string | null | undefined
        readonly size?: number | undefined
        readonly url_private_download?: string | undefined
      }[]
    | undefined
}

/** The bot itself, as `auth.test` returns it. */
export interface Me {
  readonly user: string
  readonly team: string
}

export interface Place {
  readonly me: Me
  readonly channel: string
  readonly cursor: string
}

/** New messages of people, `/me` among them. Other subtypes tell of edits, deletions, joins and what other programs post. */
const written = new Set([undefined, 'file_share', 'me_message', 'thread_broadcast'])

/** Undefined for what nobody wrote. The sender is the id that Slack gives, whatever the text or the name claims. */
export function readMessage(message: SlackMessage, { me, channel, cursor }: Place): ChatMessage | undefined {
  const { ts, subtype, user, bot_id: bot, text = '', thread_ts: thread, parent_user_id: parent } = message
  if (!written.has(subtype) || user === me.user) return undefined
  const mention = `<@${me.user}>`
  return {
    ...{ updateId: `${channel}:${ts}`, cursor, messageId: ts },
    channelId: channelIdOf(me, channel, thread),
    groupId: channel,
    senderId: user ?? '',
    senderName: user ?? '',
    isBot: bot !== undefined || user === undefined,
    isDirect: channel.startsWith('D'),
    isAddressed: text.includes(mention) || parent === me.user,
    text: unescaped(text.trimStart().startsWith(mention) ? text.trimStart().slice(mention.length).trimStart() : text),
    files: (message.files ?? []).map(({ name, size: bytes, url_private_download: place = '' }) => ({
      ...{ name: name ?? 'file', bytes, place },
    })),
    sentAt: Math.floor(Number(ts) * 1000),
  }
}

export function channelIdOf({ team }: Me, channel: string, thread: string | undefined): string {
  return [team, channel, ...(thread === undefined ? [] : [thread])].join('/')
}

export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
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
