import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { createLog } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import { makeTables } from '../../platform/store/database.ts'
import type { Store } from '../../platform/store/store.ts'
import { Channels } from './channels.ts'
import type { ChatMessage } from './chat-message.ts'
import type { ChatPlatform } from './chat-platform.ts'
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
  groups: { '-100': 'always' },
  catchUpAge: 3_600_000,
  catchUpMessages: 50,
} as unknown as ChannelConfig

const { signal } = new AbortController()
const maxCharacters = 100_000
let clock: FakeClock
let database: DatabaseSync
let channels: Channels
let asked: string[]
let number: number
beforeEach(() => {
  clock = new FakeClock()
  database = new DatabaseSync(':memory:')
  makeTables(database)
  ;[asked, number] = [[], 1000]
  const store = database as unknown as Store
  const turns = {
    async ask({ message, alongside }: { message: string; alongside: (turnId: string) => void }) {
      if (message.length > maxCharacters) throw new IrisError('message_too_long', 'It is too long.', 'Cut it.')
      alongside(`turn-${asked.push(message)}`)
      return { durable: async () => {} }
    },
    handle: () => ({ status: async () => undefined, cancel: async () => {} }),
  }
  channels = new Channels({
    config: () => ({ channels: new Map([['shop', channel]]) }),
    clock,
    log: createLog({ least: () => 'error' }),
    messages: new ChannelMessages(store),
    posts: new ChannelPosts(store),
    people: new ChannelPeople(store),
    turns,
    sessions: { ready: async () => undefined, taken: () => {}, find: () => undefined },
    random: (length: number) => new Uint8Array(length),
    click: () => '',
    at: () => {},
  } as unknown as ChannelsParts)
})

const message = (senderId: string, chat: string, text: string): ChatMessage => {
  const id = String(number++)
  return {
    updateId: id,
    cursor: id,
    messageId: id,
    channelId: chat,
    groupId: chat,
    senderId,
    senderName: senderId,
    text,
    isBot: false,
    isDirect: !chat.startsWith('-'),
    isAddressed: true,
    sentAt: clock.now(),
  }
}
const count = (table: string): number =>
  Number(database.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get()!['count'])

test('a flood of one person is bounded in turns, rows and posts; another one is answered all the same', async () => {
  for (let each = 0; each < 1000; each += 1)
    await channels.receive(channel, message('42', '-100', `flood ${each}`), signal)
  await channels.receive(channel, message('43', '-100', 'a question'), signal)
  expect(asked).toEqual(['flood 0', 'flood 1', 'flood 2', 'flood 3', 'flood 4', 'a question'])
  expect(count('channel_messages')).toBe(6)
  expect(database.prepare('SELECT sender, messages FROM channel_refusals').all()).toEqual([
    { sender: '42', messages: 995 },
  ])
  // An answer for each question, and once that the rest is not taken.
  expect(count('channel_posts')).toBe(7)
})

test('each reason why messages are refused is given once a minute', async () => {
  const tooMany = {
    ...message('42', '42', ''),
    files: Array.from({ length: 99 }, () => ({ name: 'a', bytes: 1, place: 'a' })),
  }
  const tooLong = message('42', '42', 'x'.repeat(maxCharacters + 1))
  for (const each of [
    message('42', '42', ''),
    tooMany,
    message('42', '42', ' '),
    { ...tooMany, updateId: '9999' },
    tooLong,
  ])
    await channels.receive(channel, each, signal)
  const texts = database
    .prepare('SELECT text FROM channel_posts ORDER BY id')
    .all()
    .map(({ text }) => text)
  expect(texts).toEqual([
    'Not taken: it has no words. Only text, pictures and files are understood here.',
    expect.stringMatching(/^Not taken: it has more than \d+ files\.$/),
    'Not taken: it is too long.',
  ])
})

test('a refused message that is delivered again stays refused, and later ones of the same person are taken', async () => {
  const flood = Array.from({ length: 8 }, (_, each) => message('42', '42', `flood ${each}`))
  for (const each of flood) await channels.receive(channel, each, signal)
  database.exec(`UPDATE channel_messages SET state = 'answered'`)
  for (const each of flood) await channels.receive(channel, each, signal)
  expect(asked).toHaveLength(5)
  await channels.receive(channel, message('42', '42', 'later'), signal)
  expect(asked.at(-1)).toBe('later')
})

test('a message that was written before a refused one, and comes after it, is taken', async () => {
  const [early, ...flood] = Array.from({ length: 8 }, (_, each) => message('42', '42', `flood ${each}`))
  for (const each of flood) await channels.receive(channel, each, signal)
  database.exec(`UPDATE channel_messages SET state = 'answered'`)
  await channels.receive(channel, early!, signal)
  expect(asked.at(-1)).toBe('flood 0')
  await channels.receive(channel, flood.at(-1)!, signal)
  expect(asked).toHaveLength(6)
})

test('of a flood that comes again out of order, nothing is taken', async () => {
  const flood = Array.from({ length: 200 }, (_, each) => message('42', '42', `flood ${each}`))
  for (const each of flood) await channels.receive(channel, each, signal)
  database.exec(`UPDATE channel_messages SET state = 'answered'`)
  for (const each of flood.toReversed()) await channels.receive(channel, each, signal)
  expect(asked).toHaveLength(5)
})

test('a message of somebody refused a week ago is taken, whatever its number', async () => {
  for (let each = 0; each < 8; each += 1) await channels.receive(channel, message('42', '42', `flood ${each}`), signal)
  database.exec(`UPDATE channel_messages SET state = 'answered'`)
  await clock.advance(7 * 86_400_000)
  await channels.receive(channel, { ...message('42', '42', 'again'), updateId: '0' }, signal)
  expect(asked.at(-1)).toBe('again')
})

test('a flood of commands leaves a few posts, and one of strangers three codes and no rows', async () => {
  for (let each = 0; each < 200; each += 1) await channels.receive(channel, message('42', '42', '/who'), signal)
  expect(count('channel_posts')).toBeLessThanOrEqual(6)
  const before = count('channel_posts')
  for (let each = 0; each < 500; each += 1)
    await channels.receive(channel, message(String(100 + each), String(100 + each), 'hi'), signal)
  expect(count('channel_posts')).toBe(before + 3)
  expect(count('channel_people')).toBe(3)
  expect(asked).toEqual([])
})

test('files of one person are bounded, and others may still send some', async () => {
  database.exec(`PRAGMA foreign_keys = OFF`)
  const files = JSON.stringify([{ name: 'a.png', bytes: 200 * 1024 ** 2, sha256: 'x' }])
  database
    .prepare(
      `INSERT INTO turns (id, session, message, hop, awaited, state, accepted_at, attachments)
       VALUES ('turn-1', 1, 'a picture', 0, 1, 'accepted', 0, ?)`,
    )
    .run(files)
  await channels.receive(channel, message('42', '-100', 'a picture'), signal)
  const another = { ...message('42', '-100', 'another'), files: [{ name: 'b.png', bytes: 3, place: 'b' }] }
  await channels.receive(channel, another, signal)
  expect(asked).toEqual(['a picture'])
  const texts = database.prepare('SELECT text FROM channel_posts').all()
  expect(texts).toContainEqual({ text: 'Not taken: your files here already take up 200 MB. Ask without a file.' })
  const messages = new ChannelMessages(database as unknown as Store)
  expect(messages.fileBytes('shop', '43')).toEqual({ ofSender: 0, total: 200 * 1024 ** 2 })
  database.exec(`UPDATE turns SET attachments = '[{"name":"a.png","bytes":209715200}]'`)
  expect(messages.fileBytes('shop', '42')).toEqual({ ofSender: 0, total: 0 })
})

test.each([
  ['one byte below 1 GB', 1024 ** 3 - 1, ['a question', 'a picture']],
  ['1 GB', 1024 ** 3, ['a question']],
])('a channel that keeps %s of files', async (_what, bytes, taken) => {
  database.exec(`PRAGMA foreign_keys = OFF`)
  await channels.receive(channel, message('42', '-100', 'a question'), signal)
  database
    .prepare(
      `INSERT INTO turns (id, session, message, hop, awaited, state, accepted_at, attachments)
       VALUES ('turn-1', 1, 'a question', 0, 1, 'accepted', 0, ?)`,
    )
    .run(JSON.stringify([{ name: 'a.png', bytes, sha256: 'x' }]))
  channels.connect(channel, { download: async () => Buffer.from('png') } as unknown as ChatPlatform)
  const another = { ...message('43', '-100', 'a picture'), files: [{ name: 'b.png', bytes: 3, place: 'b' }] }
  await channels.receive(channel, another, signal)
  expect(asked).toEqual(taken)
})
