import type { WebClient } from '@slack/web-api'
import type { ChatMessage, ChatPlace } from '../chat-message.ts'
import type { ChatInbox, ChatReading } from '../chat-platform.ts'
import { UnreadChats } from '../unread-chats.ts'
import { earlierOf, laterOf, readMessage, stampAt } from './read-message.ts'
import type { Me, SlackMessage } from './slack-message.ts'
import { failureOf, placeOf, slackError } from './slack-platform.ts'

/** The connection of one bot. */
export interface Source {
  readonly parts: { readonly groups: readonly string[]; readonly now: () => number }
  readonly web: WebClient
  readonly inbox: ChatInbox
  readonly me: Me
  /** The channel of each person's direct messages. */
  readonly directChats: Map<string, string>
}

interface Reading extends Source, ChatReading {
  readonly cursor: string
  readonly oldest: string
  /** Notes a message that was found. */
  found(ts: string): void
}

/** A listed channel, a thread, or the direct messages of a person. */
type Place = { readonly channel: string; readonly thread?: string } | { readonly person: string }

/**
 * Reading starts this long before the cursor, because messages of two channels may have arrived in a different order.
 */
const overlapMs = 120_000
const perPage = 200
const maxPages = 25
/** Threads of listed channels are read if they are no older than this, whether or not Iris has seen them before. */
const weekMs = 7 * 86_400_000
/** Threads are read again if something was written in them within this time. */
const dayMs = 86_400_000

/** Searches the histories of the chats for messages that Slack could not deliver. */
export function catchUp(source: Source): void {
  const cursor = source.inbox.cursor()
  const oldest = stampAt(Number(cursor) * 1000 - overlapMs)
  let newest = cursor
  let unread: UnreadChats<Place> | undefined
  source.inbox.catchUp({
    read(reading) {
      const began = stampAt(source.parts.now())
      const found = (ts: string): void => {
        // Not later than the start of reading: if the connection breaks now, the chats that were read first lack the
        // messages written since the start.
        newest = laterOf(newest, earlierOf(ts, began))
      }
      unread = placesOf(source)
      return older({ ...source, ...reading, cursor, oldest, found }, unread)
    },
    waits: (message) => unread === undefined || waits(unread, message),
    cursorAfter: () => laterOf(newest, source.inbox.cursor()),
  })
}

/**
 * A message in a thread also waits for the thread's channel, because only the channel's history reveals threads that
 * Iris does not know.
 */
function waits(unread: UnreadChats<Place>, { channelId, isDirect, senderId }: ChatPlace): boolean {
  const { channel, thread } = placeOf(channelId)
  const isUnread = unread.want(isDirect ? senderId : channel)
  return isUnread || (thread !== undefined && unread.want(nameOf({ channel, thread })))
}

/** Slack allows few history requests per minute, so the places where people wrote last come first. */
async function* older(reading: Reading, places: UnreadChats<Place>): AsyncIterable<ChatMessage> {
  const known = new Set<string>()
  for (const place of reading.each(places)) {
    known.add(nameOf(place))
    const channel = 'person' in place ? await directChat(reading, place.person) : place.channel
    if (channel === undefined) continue
    const thread = 'person' in place ? undefined : place.thread
    for (const one of await history(reading, channel, thread)) {
      const { ts, latest_reply: reply } = one
      const found = { channel, thread: ts }
      if (thread === undefined && Number(reply ?? 0) > Number(reading.oldest) && !known.has(nameOf(found)))
        places.add(nameOf(found), found)
      // The first message of a thread is read with the channel. Older messages matter only for their threads.
      if (ts === thread || Number(ts) <= Number(reading.oldest)) continue
      reading.found(ts)
      const message = read(reading, one, channel)
      if (message !== undefined) yield message
    }
  }
}

function read({ inbox, me, cursor }: Reading, one: SlackMessage, channel: string): ChatMessage | undefined {
  // The message arrived earlier, and Iris has judged its first version.
  if (one.edited !== undefined && Number(one.ts) <= Number(cursor)) return undefined
  return inbox.readable(() => readMessage(one, { me, channel, cursor }))
}

/** The place with the newest known message first; places without a known message come last. */
function placesOf({ parts, inbox, directChats }: Source): UnreadChats<Place> {
  const all = new Map<string, Place>()
  const add = (place: Place): unknown => all.set(nameOf(place), place)
  for (const channel of parts.groups) add({ channel })
  for (const person of inbox.people()) add({ person })
  const dayAgo = parts.now() - dayMs
  const newestFirst = inbox.writers().map(({ channelId, sender, receivedAt }) => {
    const { channel, thread } = placeOf(channelId)
    if (thread !== undefined && receivedAt >= dayAgo) add({ channel, thread })
    const isDirect = channel.startsWith('D')
    if (isDirect) directChats.set(sender, channel)
    return nameOf(thread !== undefined ? { channel, thread } : isDirect ? { person: sender } : { channel })
  })
  const places = new UnreadChats<Place>()
  for (const name of [...newestFirst, ...all.keys()]) if (all.has(name)) places.add(name, all.get(name)!)
  return places
}

function nameOf(place: Place): string {
  if ('person' in place) return place.person
  return place.thread === undefined ? place.channel : `${place.channel}/${place.thread}`
}

async function directChat({ web, directChats, tried }: Reading, person: string): Promise<string | undefined> {
  if (directChats.has(person)) return directChats.get(person)
  const { channel } = (await tried(() => orNothing(web.conversations.open({ users: person })))) ?? {}
  if (channel?.id !== undefined) directChats.set(person, channel.id)
  return channel?.id
}

/** Oldest first. Empty for a chat that the bot may not read. */
async function history(
  { web, tried, oldest: after }: Reading,
  channel: string,
  thread: string | undefined,
): Promise<(SlackMessage & { readonly latest_reply?: string | undefined })[]> {
  const oldest = thread === undefined ? stampAt(Number(after) * 1000 - weekMs) : after
  const found: (SlackMessage & { latest_reply?: string })[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages; pages += 1) {
    const range = { channel, oldest, limit: perPage, ...(cursor !== undefined && { cursor }) }
    const page = await tried(() =>
      orNothing(
        thread === undefined ? web.conversations.history(range) : web.conversations.replies({ ...range, ts: thread }),
      ),
    )
    found.push(...((page?.messages ?? []) as typeof found))
    cursor = page?.response_metadata?.next_cursor || undefined
    if (cursor === undefined) break
  }
  return found.toSorted((a, b) => Number(a.ts) - Number(b.ts))
}

/** Undefined if Slack refuses this request for good. */
export async function orNothing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (slackError(error) !== undefined && failureOf(error).kind === 'never') return undefined
    throw error
  }
}
