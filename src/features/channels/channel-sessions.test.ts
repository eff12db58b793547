import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { ChannelSessions, type ChannelSessionsParts } from './channel-sessions.ts'

const minute = 60_000
const limits = { sessionTimeout: 30 * minute, maxSessions: 100 }

interface Row {
  readonly id: number
  readonly from: string
  readonly to: string
  readonly thread: string
  lastUsedAt: number
  status: string
  archivedWhy?: string
}

let clock: FakeClock
let rows: Row[]
let busy: Set<number>
/** Runs while a process ends, as a message may come then. */
let duringStop: (row: Row) => void
let sessions: ChannelSessions
let logged: string[]
beforeEach(() => {
  clock = new FakeClock()
  ;[rows, busy, duringStop, logged] = [[], new Set(), () => {}, []]
  const live = (): Row[] =>
    rows.filter(({ status }) => status !== 'archived').toSorted((a, b) => a.lastUsedAt - b.lastUsedAt)
  const sessionOf = (row: Row) => ({
    row,
    sessionId: `s${row.id}`,
    running: undefined,
    waiting: 0,
    get queue() {
      return busy.has(row.id) ? ['a turn'] : []
    },
  })
  sessions = new ChannelSessions({
    clock,
    log: { info: (message: string) => void logged.push(message) },
    sessions: {
      openLive: ({ from }: Row) =>
        live()
          .filter((row) => row.from === from)
          .map(sessionOf)[0],
      end: ({ row }: { row: Row }, why: string) => Object.assign(row, { status: 'archived', archivedWhy: why }),
    },
    rows: {
      byId: (id: number) => rows.find((row) => row.id === id),
      lastOf: ({ from }: Row) => rows.findLast((row) => row.from === from && row.status === 'archived'),
      ofChats: live,
      isDormant: () => false,
    },
    pool: { stop: async ({ row }: { row: Row }) => duringStop(row) },
  } as unknown as ChannelSessionsParts)
})

const chat = (number: number) => ({ from: `telegram:${number}`, to: 'backend', thread: 'role:chat_bot' })
function add(number: number, lastUsedAt = clock.now()): Row {
  const row = { id: number, ...chat(number), lastUsedAt, status: 'active' }
  rows.push(row)
  return row
}
const archived = (): number[] => rows.filter(({ status }) => status === 'archived').map(({ id }) => id)

test('the cleanup archives what was idle for over 30 minutes, and never a conversation with a turn', async () => {
  add(1)
  add(2)
  await clock.advance(10 * minute)
  add(3)
  busy.add(2)
  await clock.advance(20 * minute + 1)
  await sessions.cleanUp(() => limits)
  expect(archived()).toEqual([1])
  busy.clear()
  await sessions.cleanUp(() => limits)
  expect(archived()).toEqual([1, 2])
})

test('a message that comes while the process ends keeps its conversation', async () => {
  add(1)
  await clock.advance(31 * minute)
  duringStop = ({ id }) => busy.add(id)
  await sessions.cleanUp(() => limits)
  expect(archived()).toEqual([])
  expect(await sessions.ready(chat(1), limits)).toBeUndefined()
})

test('the 101st chat archives the least recently used conversation that has no turn', async () => {
  for (let number = 1; number <= 100; number += 1) add(number, number)
  busy.add(1)
  await sessions.ready(chat(101), limits)
  expect(archived()).toEqual([2])
  // One that exists needs no place.
  await sessions.ready(chat(50), limits)
  expect(archived()).toEqual([2])
})

test('messages of several bots that come at once take one place each, and end nothing that another one just kept', async () => {
  for (let number = 1; number <= 100; number += 1) add(number, number)
  // Neither has its turn yet.
  await sessions.ready(chat(101), limits)
  await sessions.ready(chat(2), limits)
  await sessions.ready(chat(102), limits)
  expect(archived()).toEqual([1, 3])
  sessions.taken(chat(2))
  await sessions.ready(chat(103), limits)
  expect(archived()).toEqual([1, 2, 3])
  // Refused: its place is free.
  sessions.taken(chat(103))
  await Promise.all([sessions.ready(chat(104), limits), sessions.ready(chat(4), limits)])
  expect(archived()).toEqual([1, 2, 3])
})

test('the chat whose conversation made room hears that its next message begins a new one', async () => {
  for (let number = 1; number <= 100; number += 1) add(number, number)
  expect(await sessions.ready(chat(101), limits)).toBeUndefined()
  expect(archived()).toEqual([1])
  expect(await sessions.ready(chat(1), limits)).toBe(
    'This is a new conversation: the last one made room for other chats.',
  )
})

test.each([
  ['nobody wrote for too long', 'This is a new conversation: nobody wrote here for a while.'],
  ['deleted on request', 'This is a new conversation: the last one was deleted.'],
  // It names a path, which is the owner's.
  [
    'this home is a copy of /home/me/.iris, where the conversation continues',
    'This is a new conversation: the last one came to its end.',
  ],
  // The chat itself ended it, and had its answer then.
  ['ended in its channel', undefined],
])('after a conversation that ended because "%s" its chat hears: %s', async (archivedWhy, text) => {
  Object.assign(add(1), { status: 'archived', archivedWhy })
  expect(await sessions.ready(chat(1), limits)).toBe(text)
})

test('when all of them work nothing is archived', async () => {
  for (let number = 1; number <= 100; number += 1) {
    add(number)
    busy.add(number)
  }
  await sessions.ready(chat(101), limits)
  expect(archived()).toEqual([])
})

test('the log says which message of its conversation comes, and how full the context is', async () => {
  Object.assign(add(1), { messageCount: 4, contextTokens: 90_000, contextWindow: 200_000 })
  expect(await sessions.ready(chat(1), limits)).toBeUndefined()
  expect(logged).toEqual(['Reusing session for telegram:1: s1 (msg #5, 45% context)'])
})
