import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import { makeTables } from '../../platform/store/database.ts'
import type { Store } from '../../platform/store/store.ts'
import { Channels } from './channels.ts'
import type { NewChatPost } from './chat-platform.ts'
import type { ChannelsParts } from './parts.ts'
import { ChannelPeople } from './rows/channel-people.ts'
import { ChannelPosts } from './rows/channel-posts.ts'
import { ChannelMessages } from './rows/channels.ts'

const channel = {
  name: 'shop',
  platform: 'telegram',
  team: 'backend',
  role: 'chat_bot',
  allow: ['42'],
  approvers: [],
  groups: {},
  catchUpAge: 3_600_000,
  catchUpMessages: 50,
} as unknown as ChannelConfig

let clock: FakeClock
let database: DatabaseSync
let channels: Channels
/** What the platform shows, by its ids. */
let shown: Map<string, string>
/** The end of the turn, once there is one. */
let answer: string | undefined
/** Lets the next request to the platform continue. */
let release: (() => void) | undefined

/** A platform that recognizes a repeated post by its key, as Discord does. */
const platform = {
  longestText: 100,
  lengthOf: (text: string) => text.length,
  streamEveryMs: () => 1000,
  async post({ key, text }: NewChatPost) {
    if (release !== undefined) await new Promise<void>((resolve) => (release = resolve))
    if (!shown.has(key)) shown.set(key, text)
    return key
  },
  postOnce: (post: NewChatPost) => platform.post(post),
  async edit(_chat: string, id: string, text: string) {
    shown.set(id, text)
  },
}

beforeEach(() => {
  clock = new FakeClock()
  database = new DatabaseSync(':memory:')
  makeTables(database)
  ;[shown, answer, release] = [new Map(), undefined, undefined]
  const store = database as unknown as Store
  const turns = {
    async ask({ alongside }: { alongside: (turnId: string) => void }) {
      alongside('turn-1')
      return { durable: async () => {} }
    },
    handle: () => ({
      status: async () => answer && { row: { outcome: 'completed', answer, partial: null, contextReset: null } },
      longText: async () => undefined,
    }),
    writing: () => [],
  }
  channels = new Channels({
    config: () => ({ channels: new Map([['shop', channel]]) }),
    clock,
    log: { error: () => {}, warn: () => {}, info: () => {} },
    messages: new ChannelMessages(store),
    posts: new ChannelPosts(store),
    people: new ChannelPeople(store),
    turns,
    sessions: { ready: async () => undefined, taken: () => {}, find: () => undefined },
    random: (length: number) => new Uint8Array(length),
    click: () => '',
    at: () => {},
  } as unknown as ChannelsParts)
  channels.connect(channel, platform as never)
})

const says = (text: string): Promise<void> => {
  const ids = { updateId: text, cursor: '1', messageId: '1', channelId: '42', groupId: '42', senderId: '42' }
  const who = { senderName: 'Ada', isBot: false, isDirect: true, isAddressed: true, sentAt: clock.now() }
  return channels.receive(channel, { ...ids, ...who, text }, new AbortController().signal)
}
/** From now on, and until `recovers`, the store takes no post with this condition. */
const fails = (condition: string): void =>
  database.exec(
    `CREATE TRIGGER fails BEFORE UPDATE ON channel_posts WHEN ${condition} BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
  )
const recovers = (): void => database.exec('DROP TRIGGER fails')
const states = (): unknown[] =>
  database
    .prepare('SELECT state FROM channel_posts')
    .all()
    .map(({ state }) => state)

test.each(['sending', 'reserved', 'posted'])(
  'the store does not take that a post is "%s": it is tried again',
  async (state) => {
    fails(`NEW.state = '${state}'`)
    await says('a question')
    await clock.advance(5000)
    answer = 'The answer.'
    channels.settled('turn-1')
    await clock.advance(10_000)
    expect(states()).not.toEqual(['posted'])
    recovers()
    await clock.advance(60_000)
    expect(states()).toEqual(['posted'])
    expect([...shown.values()]).toEqual(['The answer.'])
  },
)

test('the store does not take an answer: it is put among the posts later', async () => {
  await says('a question')
  await clock.advance(5000)
  fails('NEW.text IS NOT NULL')
  answer = 'The answer.'
  channels.settled('turn-1')
  await clock.advance(20_000)
  expect([...shown.values()]).toEqual(['Received.'])
  recovers()
  await clock.advance(60_000)
  expect([states(), [...shown.values()]]).toEqual([['posted'], ['The answer.']])
})

test('a connection ends once its request to the platform has, so that the next one does not post as well', async () => {
  release = () => {}
  await says('/who')
  let isEnded = false
  const ended = channels.disconnect('shop').then(() => {
    isEnded = true
  })
  await clock.advance(10_000)
  expect(isEnded).toBe(false)
  release()
  await ended
  expect(states()).toEqual(['posted'])
})

test('the store does not say whether a post is a file: it is asked again', async () => {
  database.exec('ALTER TABLE channel_files RENAME TO unreadable')
  await says('/who')
  await clock.advance(10_000)
  expect([states(), [...shown.values()]]).toEqual([['waiting'], []])
  database.exec('ALTER TABLE unreadable RENAME TO channel_files')
  await clock.advance(60_000)
  expect([states(), [...shown.values()]]).toEqual([['posted'], [expect.stringContaining('backend answers here')]])
})

test('the store has a file no more: its chat learns that it is lost', async () => {
  const post = { source: 'shop', chat: 'telegram:42', replyTo: null, createdAt: clock.now() }
  new ChannelPosts(database).addFile(post, 'report.csv', Buffer.from('a,b'))
  database.exec('DELETE FROM channel_files')
  channels.work('shop', 'telegram:42')
  await clock.advance(1000)
  expect([states(), [...shown.values()]]).toEqual([['posted'], ['A file for this chat was lost. Ask for it again.']])
})
