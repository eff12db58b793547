import { DiscordAPIError, type REST, Routes } from 'discord.js'
import type { ChatMessage } from '../chat-message.ts'
import type { ChatInbox, ChatReading, Tried } from '../chat-platform.ts'
import { UnreadChats } from '../unread-chats.ts'
import type { DiscordMessage } from './discord-message.ts'
import { placeOf } from './discord-platform.ts'
import { earlierOf, idAt, laterOf, timeOf } from './read-message.ts'

/** The connection of one bot. */
interface Source {
  readonly parts: { readonly groups: readonly string[]; readonly now: () => number }
  readonly rest: REST
  readonly inbox: ChatInbox
  /** The channel of each person's direct messages. */
  readonly directChats: Map<string, string>
  /** Called before the histories are read. Messages that are written after that are not in the histories. */
  begins(): void
  /** The threads of a listed channel that the library knows. */
  threadsOf(group: string): readonly string[]
  read(data: DiscordMessage, isDirect: boolean, cursor: string): ChatMessage | undefined
}

interface Chat {
  readonly id: string
  readonly isDirect: boolean
}

/**
 * Reading starts this long before the cursor, because messages of two channels may have arrived in a different order.
 */
const overlapMs = 120_000
const perPage = 100
const maxPages = 50
/** Threads and direct messages are read again if something was written in them within this time. */
const dayMs = 86_400_000

/** Searches the histories of the chats for missed messages that Discord no longer replays. */
export function catchUp(source: Source): void {
  const cursor = source.inbox.cursor()
  let newest = cursor
  let unread: UnreadChats<Chat> | undefined
  source.inbox.catchUp({
    async *read(reading) {
      source.begins()
      const [began, after] = [idAt(source.parts.now()), idAt(timeOf(cursor) - overlapMs)]
      unread = await chatsOf(source, reading.tried)
      for (const { id, isDirect } of reading.each(unread)) {
        for await (const data of history(source, id, { after, tried: reading.tried })) {
          // Not later than the start of reading: if the connection breaks now, the chats that were read first lack the
          // messages written since the start.
          newest = laterOf(newest, earlierOf(data.id, began))
          // The message was edited, but Iris has already judged its first version.
          if (data.edited_timestamp && laterOf(cursor, data.id) === cursor) continue
          const message = source.inbox.readable(() => source.read(data, isDirect, cursor))
          if (message !== undefined) yield message
        }
      }
    },
    waits: ({ channelId }) => unread === undefined || unread.want(placeOf(channelId)),
    cursorAfter: () => laterOf(newest, source.inbox.cursor()),
  })
}

/** The channels, threads and direct messages to read. */
async function chatsOf({ rest, inbox, directChats, ...source }: Source, tried: Tried): Promise<UnreadChats<Chat>> {
  const chats = new UnreadChats<Chat>()
  const add = (id: string, isDirect: boolean): void => chats.add(id, { id, isDirect })
  for (const group of source.parts.groups) for (const id of [group, ...source.threadsOf(group)]) add(id, false)
  for (const { channelId, receivedAt } of inbox.writers()) {
    if (channelId.includes('/') && receivedAt >= source.parts.now() - dayMs) add(placeOf(channelId), false)
  }
  for (const person of inbox.people()) {
    const chat = directChats.get(person) ?? (await tried(() => directChat(rest, person)))
    if (chat === undefined) continue
    directChats.set(person, chat)
    add(chat, true)
  }
  return chats
}

async function directChat(rest: REST, person: string): Promise<string | undefined> {
  const made = rest.post(Routes.userChannels(), { body: { recipient_id: person } })
  return ((await orNothing(made)) as { id: string } | undefined)?.id
}

/** Oldest first. Yields nothing for a chat that the bot may not read. */
async function* history(
  { rest }: Source,
  chat: string,
  { after, tried }: { readonly after: string } & Pick<ChatReading, 'tried'>,
): AsyncIterable<DiscordMessage> {
  for (let pages = 0, from = after; pages < maxPages; pages += 1) {
    const query = new URLSearchParams({ after: from, limit: String(perPage) })
    const page = await tried(() => orNothing(rest.get(Routes.channelMessages(chat), { query })))
    const messages = ((page ?? []) as DiscordMessage[]).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
    yield* messages
    if (messages.length < perPage) return
    from = messages.at(-1)!.id
  }
}

/** Undefined if Discord refuses this request for good. */
async function orNothing(request: Promise<unknown>): Promise<unknown> {
  try {
    return await request
  } catch (error) {
    if (error instanceof DiscordAPIError && error.status !== 401) return undefined
    throw error
  }
}
