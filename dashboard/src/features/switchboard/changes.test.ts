import { expect, test } from 'vitest'
import { type Board, Changes, type Session } from './changes.ts'

const session = (more: Partial<Session> = {}): Session => ({
  sessionId: 's',
  from: 'frontend',
  to: 'backend',
  thread: 'main',
  status: 'active',
  origin: 'new',
  createdAt: 0,
  lastUsedAt: 0,
  messageCount: 0,
  queueLength: 0,
  processState: 'stopped',
  costUsd: 0,
  ...more,
})

const board = (timestamp: number, sessions: Session[] = [session()]): Board => ({
  teams: [],
  sessions,
  timestamp,
  pool: { activeProcesses: 0, maxProcesses: 10 },
  traffic: [{ from: 'frontend', to: 'backend', lastHour: 1, lastDay: 5, lastAt: 50 }],
})

const all = () => true
const changed = (at: number, changedTo: Session) => ({
  id: undefined,
  type: 'session-changed',
  data: { at, session: changedTo, activeProcesses: 3, maxProcesses: 10 },
})
const accepted = (at: number, from: string) => ({
  id: undefined,
  type: 'turn-accepted',
  data: { at, from, to: 'backend' },
})

test('what the stream tells after an answer was made counts, and what it told before does not', () => {
  const changes = new Changes()
  changes.take(changed(100, session({ messageCount: 7 })))
  expect(changes.over(board(99), all)).toMatchObject({ sessions: [{ messageCount: 7 }], pool: { activeProcesses: 3 } })
  expect(changes.over(board(101), all)).toMatchObject({ sessions: [{ messageCount: 0 }], pool: { activeProcesses: 0 } })
})

test('a new conversation comes in, one that may not be shown any more goes', () => {
  const changes = new Changes()
  changes.take(changed(100, session({ sessionId: 'new' })))
  changes.take(changed(100, session({ status: 'archived' })))
  const isLive = ({ status }: Session) => status !== 'archived'
  expect(changes.over(board(1), isLive).sessions.map(({ sessionId }) => sessionId)).toEqual(['new'])
})

test('messages accepted since the answer are added to what was said lately', () => {
  const changes = new Changes()
  for (const frame of [accepted(90, 'frontend'), accepted(110, 'frontend'), accepted(120, 'mobile')])
    changes.take(frame)
  expect(changes.over(board(100), all).traffic).toEqual([
    { from: 'frontend', to: 'backend', lastHour: 2, lastDay: 6, lastAt: 110 },
    { from: 'mobile', to: 'backend', lastHour: 1, lastDay: 1, lastAt: 120 },
  ])
})

test('what an answer holds is forgotten, and whoever collects too much asks again', () => {
  const changes = new Changes()
  for (let at = 1; at <= 500; at += 1) changes.take(accepted(at, 'frontend'))
  expect(changes.isLong).toBe(true)
  changes.forgetBefore(400)
  expect(changes.isLong).toBe(false)
  expect(changes.over(board(0), all).traffic).toMatchObject([{ lastHour: 101 }])
})

test('a snapshot voids all that was told before it', () => {
  const changes = new Changes()
  changes.take(changed(100, session({ messageCount: 7 })))
  const before = changes.version()
  changes.take({ id: 'e-1', type: 'snapshot', data: {} })
  expect(changes.version()).not.toBe(before)
  expect(changes.over(board(1), all).sessions).toMatchObject([{ messageCount: 0 }])
})
