import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import { makeTables } from '../../platform/store/database.ts'
import type { Store } from '../../platform/store/store.ts'
import { Changes } from './changes.ts'
import type { ChatMessage } from './chat-message.ts'
import type { ChannelsParts } from './parts.ts'
import { withQuotes } from './quotes.ts'
import { ChannelChanges } from './rows/channel-changes.ts'
import { ChannelPeople } from './rows/channel-people.ts'
import { ChannelPosts } from './rows/channel-posts.ts'
import { type ChannelMessageRow, ChannelMessages } from './rows/channels.ts'

const channel = { name: 'shop', platform: 'telegram', allow: ['42'], groups: {} } as unknown as ChannelConfig
const row: ChannelMessageRow = {
  source: 'shop',
  updateId: '100',
  chat: 'telegram:42',
  sender: '42',
  senderName: 'Ada',
  messageId: '7',
  sentAt: 1,
  receivedAt: 1,
  text: null,
  state: 'asked',
  turn: 'turn-1',
  note: null,
}
const attached = [{ bytes: 10 }]

let changes: Changes
let messages: ChannelMessages
let posts: ChannelPosts
let clock: FakeClock
/** The turn of the message: what it says, and whether the agent has it. */
let turn: { message: string; delivery: string | undefined; attachments: object[] | null; ended: string | undefined }

beforeEach(() => {
  const store = new DatabaseSync(':memory:') as unknown as Store
  makeTables(store)
  clock = new FakeClock()
  turn = { message: 'one', delivery: undefined, attachments: null, ended: undefined }
  ;[messages, posts] = [new ChannelMessages(store), new ChannelPosts(store)]
  const live = () => ({ pair: {}, delivery: turn.delivery, facts: turn, end: undefined })
  const revise = (_id: string, message: string, alongside: () => void): boolean => {
    turn.message = message
    alongside()
    return true
  }
  changes = new Changes({
    clock,
    messages,
    posts,
    people: new ChannelPeople(store),
    changes: new ChannelChanges(store),
    log: { info: () => {} },
    sessions: { find: () => ({ revise }) },
    turns: {
      rowOf: () => turn,
      handle: () => ({
        status: async () => ({ live: live() }),
        endTree: async ({ detail }: { detail: string }) => void (turn.ended = detail),
      }),
    },
  } as unknown as ChannelsParts)
  messages.add(row)
})

const place = { channelId: '42', isDirect: true, messageId: '7', cursor: undefined }
const edit = (text: string, version = 1, more: Partial<ChatMessage> = {}, of = channel) => {
  const written = { ...place, senderId: '42', isBot: false, groupId: '42', text, ...more } as unknown as ChatMessage
  return changes.take(of, { ...written, cursor: undefined, version, now: written })
}
const remove = (version = 1) => changes.take(channel, { ...place, senderId: '', version, now: undefined })
const told = (): number => posts.waitingOf('shop', 'telegram:42')

test('the last edit counts, in whatever order they come', async () => {
  await edit('three', 3)
  await edit('two', 2)
  expect(turn.message).toBe('three')
  await edit('three', 3)
  expect([turn.message, told()]).toEqual(['three', 0])
})

test('an edit keeps what the message refers to, and one that changes no words changes nothing', async () => {
  const quoted = { quotes: [{ how: 'reply', author: undefined, text: 'What is tea?' }], left: ['a sticker'] } as const
  turn.message = withQuotes('is this right?', quoted)
  await edit('is this wrong?', 2)
  expect(turn.message).toBe(withQuotes('is this wrong?', quoted))
  turn.delivery = 'uuid'
  await edit('is this wrong?', 3)
  expect(told()).toBe(0)
  await edit('forget it </chat-quotes>', 4)
  expect(told()).toBe(1)
})

test('only the author may edit, in his chat, and while he may talk', async () => {
  await edit('of somebody else who may talk', 1, { senderId: '43' }, { ...channel, allow: ['42', '43'] })
  await edit('in a group that is not listed', 1, { isDirect: false, groupId: '-1' })
  await edit('of somebody who may talk no more', 1, {}, { ...channel, allow: [] })
  expect(turn.message).toBe('one')
})

test('an edit that cannot be followed withdraws the message: to a command, to nothing, with other files', async () => {
  for (const [text, more] of [
    ['/stop', {}],
    [' ', {}],
    ['two', { files: [{ name: 'a.png', bytes: 10, place: '' }] }],
  ] as const) {
    turn.ended = undefined
    await edit(text, 1, more)
    expect(turn.ended).toMatch(/^Withdrawn: /)
  }
  turn = { ...turn, ended: undefined, attachments: attached }
  await edit('two', 2, { files: [{ name: 'a.png', bytes: 10, place: '' }] })
  expect([turn.message, turn.ended]).toEqual(['two', undefined])
  await edit('two', 3)
  expect(turn.ended).toMatch(/^Withdrawn: its files were changed/)
})

test('of what comes too late a person is told once for each message and minute, and never of what changes no words', async () => {
  turn.delivery = 'uuid'
  await edit('one', 1)
  expect(told()).toBe(0)
  await edit('two', 2)
  await edit('two', 2)
  await edit('three', 3)
  expect([told(), turn.message]).toEqual([1, 'one'])
  await clock.advance(60_000)
  await edit('four', 4)
  await remove(5)
  expect(told()).toBe(2)
})

test('a deletion of what was answered asks nothing', async () => {
  turn.delivery = 'uuid'
  messages.answered('turn-1')
  await remove()
  expect([told(), turn.ended]).toEqual([0, undefined])
})

test('a skipped message is replayed with the words that it has now, or never', async () => {
  messages.add({ ...row, updateId: '101', messageId: '8', state: 'skipped', turn: null, text: 'one' })
  const skipped = () => messages.skipped('shop', 10).map(({ text }) => text)
  await edit('two', 1, { messageId: '8' })
  expect(skipped()).toEqual(['two'])
  await edit('a <chat-quotes> of his own', 2, { messageId: '8' })
  expect(skipped()).toEqual(['a &lt;chat-quotes> of his own'])
  await changes.take(channel, { ...place, messageId: '8', senderId: '', version: 2, now: undefined })
  expect(skipped()).toEqual([])
})

test('a skipped message keeps what it refers to in its edits, and an edit to a command withdraws it', async () => {
  const quoted = { quotes: [{ how: 'reply', author: undefined, text: 'What is tea?' }], left: ['its files'] } as const
  const text = withQuotes('one', quoted)
  messages.add({ ...row, updateId: '101', messageId: '8', state: 'skipped', turn: null, text })
  const skipped = () => messages.skipped('shop', 10).map(({ text: said }) => said)
  await edit('two', 1, { messageId: '8', files: [{ name: 'a.png', bytes: 10, place: '' }] })
  expect(skipped()).toEqual([withQuotes('two', quoted)])
  await edit('/stop', 2, { messageId: '8' })
  expect(skipped()).toEqual([])
})

test('a deletion counts regardless of its timestamp, and nothing counts after it', async () => {
  await edit('two', 1_000_000)
  await remove(5)
  expect(turn.ended).toMatch(/^Withdrawn: the message was deleted/)
  turn.ended = undefined
  await edit('three', 2_000_000)
  await remove(6)
  expect([turn.message, turn.ended, told()]).toEqual(['two', undefined, 0])
})

test('of an edit of a message that was withdrawn, the chat does not say that the agent had it', async () => {
  await edit('/stop', 1)
  turn = { ...turn, delivery: 'uuid', detail: turn.ended } as typeof turn
  await edit('two', 2)
  expect(posts.nextAside('shop', 'telegram:42')?.text).toMatch(/^Not taken: this message was withdrawn\./)
})

test('what became of a message before it came counts: the last edit of its author, or that it was deleted', async () => {
  const written = { ...place, senderId: '42', messageId: '9', text: 'delete all', quotes: [], left: ['a poll'] }
  const came = (more: object = {}) => changes.applied(channel, { ...written, ...more } as unknown as ChatMessage)
  await edit('by somebody else', 3, { messageId: '9', senderId: '43' })
  expect(came()?.text).toBe('delete all')
  await edit('do not', 5, { messageId: '9' })
  await edit('delete some', 4, { messageId: '9' })
  expect(came()).toMatchObject({ text: 'do not', left: ['a poll'] })
  expect(came({ text: '/new' })?.text).toBe('/new')
  expect(came({ channelId: '43' })?.text).toBe('delete all')
  await changes.take(channel, { ...place, messageId: '9', senderId: '', version: 1, now: undefined })
  await edit('after all', 9, { messageId: '9' })
  expect(came()).toBeUndefined()
  for (let other = 0; other < 300; other += 1) await edit('x', 1, { messageId: `other ${other}` })
  expect(came()?.text).toBe('delete all')
})
