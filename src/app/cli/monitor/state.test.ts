import { expect, test } from 'vitest'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { SwitchboardSession } from '../../../base/protocol/session-view.ts'
import { type Frame, listed, nothingSeen, reduce, type Seen } from './state.ts'

const ids = { from: 'frontend', to: 'backend', thread: 'main', sessionId: 's' }
const numbered = { sequence: 1, at: 1000 }

const session = (more: Partial<SwitchboardSession> = {}): SwitchboardSession => ({
  ...ids,
  status: 'active',
  origin: 'new',
  createdAt: 0,
  lastUsedAt: 0,
  messageCount: 0,
  queueLength: 0,
  processState: 'idle',
  costUsd: 0,
  ...more,
})

const question = (permissionId: string, more: Partial<PermissionView> = {}): PermissionView =>
  ({ permissionId, state: 'pending', askedAt: 0, ...more }) as PermissionView

const after = (frames: readonly Frame[], seen: Seen = nothingSeen): Seen => frames.reduce(reduce, seen)
const workOf = (seen: Seen) => seen.works.get('s')

const delivered: Frame = { type: 'turn-delivered', turnId: 't', queuedMs: 0, ...ids, ...numbered }
const text = (at: number, said: string): Frame => ({ type: 'turn-text', turnId: 't', at, text: said, ...ids })
const settled: Frame = {
  type: 'turn-settled',
  turnId: 't',
  outcome: 'completed',
  reason: null,
  detail: null,
  usage: null,
  durationMs: 1,
  queuedMs: 0,
  messageCount: 1,
  ...ids,
  ...numbered,
}
const line = (type: string, content: unknown, more: object = {}): Frame => ({
  type: 'turn-message',
  turnId: 't',
  message: { type, message: { content }, ...more },
  ...ids,
  ...numbered,
})
const use = (name: string, input: object) => ({ type: 'tool_use', name, input })

test('text grows where it belongs, and from 0 on what was there is void', () => {
  const seen = after([delivered, text(0, 'one'), text(3, ' two')])
  expect(workOf(seen)).toMatchObject({ turnId: 't', since: 1000, text: 'one two', doing: 'writes' })
  expect(workOf(after([text(0, 'again')], seen))?.text).toBe('again')
})

test('a message that is given to Claude again keeps what was said of its answer', () => {
  const again: Frame = { ...delivered, at: 2000 }
  expect(workOf(after([delivered, text(0, 'one'), again, text(3, ' two')]))).toMatchObject({
    since: 1000,
    text: 'one two',
  })
})

test('what a whole message holds more than the text so far is added once, also when the text comes after it', () => {
  const whole = line('assistant', [{ type: 'text', text: 'one two three' }])
  const seen = after([delivered, text(0, 'zero. one two'), whole])
  expect(workOf(seen)?.text).toBe('zero. one two three')
  expect(workOf(after([text(13, ' three')], seen))?.text).toBe('zero. one two three')
  expect(workOf(after([settled], seen))).toMatchObject({ text: 'zero. one two three', outcome: 'completed', doing: '' })
})

test('tools stand where in the text they were used; those of a subagent do not', () => {
  const seen = after([
    delivered,
    text(0, 'I look.'),
    line('assistant', [use('Bash', { description: 'x', command: 'npm test' })]),
    line('assistant', [use('Read', { file_path: 'a' })], { parent_tool_use_id: 'toolu_1' }),
    line('user', [{ type: 'tool_result' }]),
    text(7, ' Done.'),
  ])
  expect(workOf(seen)).toMatchObject({ text: 'I look. Done.', marks: [{ at: 7, text: 'Bash npm test' }] })
  expect(workOf(after([text(0, 'again')], seen))?.marks).toEqual([])
})

test('what was asked is read from the message that Claude Code repeats', () => {
  const envelope = '<iris-message from="frontend" to="backend" thread="main">\nWhich\nfields?\n</iris-message>'
  expect(workOf(after([delivered, line('user', envelope)]))?.asked).toBe('Which\nfields?')
})

test('what was said before the monitor came stands there until something is said, and never over what was told since', () => {
  const turn = { turnId: 'before', status: 'completed', message: 'Which?', text: 'These.' }
  const recalled = { type: 'recalled', sessionId: 's', turn } as Frame
  const seen = after([recalled])
  expect(workOf(seen)).toMatchObject({ turnId: 'before', asked: 'Which?', text: 'These.', outcome: 'completed' })
  expect(workOf(after([text(0, 'one')], seen))).toMatchObject({ turnId: 't', asked: '', text: 'one' })
  expect(workOf(after([text(0, 'one'), recalled]))).toMatchObject({ turnId: 't' })
  expect(workOf(after([{ ...recalled, turn: { ...turn, status: 'working' } } as Frame]))).toBeUndefined()
})

test('the end of a message that only waited leaves the one that is worked on alone', () => {
  const seen = after([delivered, text(0, 'one')])
  expect(after([{ ...settled, turnId: 'another' }], seen)).toBe(seen)
})

test('after a restart running turns are as the daemon says, and what had ended stays to be read', () => {
  const ended = after([delivered, text(0, 'one'), settled])
  const running = after([{ ...delivered, sessionId: 'r' }, { ...text(0, 'old'), sessionId: 'r' } as Frame], ended)
  const snapshot = { type: 'snapshot', pool: { activeProcesses: 1, maxProcesses: 4 }, turns: [] } as unknown as Frame
  const seen = after([snapshot], running)
  expect(seen).toMatchObject({ pool: { activeProcesses: 1, maxProcesses: 4 } })
  expect([...seen.works.keys()]).toEqual(['s'])
})

test('sessions come from the board, then from each change; an archived one goes', () => {
  const board = {
    teams: [],
    sessions: [session(), session({ sessionId: 'b' })],
    pool: { activeProcesses: 2, maxProcesses: 4 },
  }
  const seen = after([{ type: 'board', board } as unknown as Frame])
  const changed = (more: Partial<SwitchboardSession>): Frame => ({
    type: 'session-changed',
    session: session(more),
    activeProcesses: 1,
    maxProcesses: 4,
    ...ids,
    ...numbered,
  })
  const later = after([changed({ queueLength: 2 })], seen)
  expect(later.sessions.get('s')?.queueLength).toBe(2)
  expect(later.pool.activeProcesses).toBe(1)
  expect([...after([changed({ status: 'archived' })], later).sessions.keys()]).toEqual(['b'])
  const archived: Frame = { type: 'session-archived', why: 'deleted', planned: true, ...ids, ...numbered }
  expect([...after([archived], later).sessions.keys()]).toEqual(['b'])
})

test('those with a process or work are listed by pair, the others by their last use', () => {
  const sessions = [
    session({ sessionId: 'old', processState: 'stopped', lastUsedAt: 1 }),
    session({ sessionId: 'new', processState: 'stopped', lastUsedAt: 2 }),
    session({ sessionId: 'z', from: 'z' }),
    session({ sessionId: 'queue', from: 'a', processState: 'stopped', queueLength: 1 }),
  ]
  const seen = after([{ type: 'board', board: { sessions, teams: [], pool: nothingSeen.pool } } as unknown as Frame])
  expect(listed(seen).map(({ sessionId }) => sessionId)).toEqual(['queue', 'z', 'new', 'old'])
})

test('questions wait in the order in which they were asked, until they are decided', () => {
  const asked: Frame = { type: 'questions', questions: [question('late', { askedAt: 2 }), question('early')] }
  const request = (of: PermissionView): Frame => ({ type: 'permission:request', permission: of, ...numbered })
  const seen = after([asked, request(question('now', { askedAt: 3 })), request(question('late', { askedAt: 2 }))])
  expect(seen.questions.map(({ permissionId }) => permissionId)).toEqual(['early', 'late', 'now'])
  const answered = question('late', { state: 'allowed' })
  const resolved: Frame = { type: 'permission:resolved', permission: answered, ...numbered }
  expect(after([resolved], seen).questions.map(({ permissionId }) => permissionId)).toEqual(['early', 'now'])
})

test('a daemon is gone since the first time it was looked for in vain', () => {
  const lost = (at: number): Frame => ({ type: 'connection', connection: 'lost', at })
  const gone = after([lost(5), lost(9)])
  expect(gone).toMatchObject({ connection: 'lost', lostAt: 5 })
  expect(after([{ type: 'connection', connection: 'live', at: 12 }], gone).lostAt).toBeUndefined()
})

test('the newest lines of the log are kept, and what says nothing changes nothing', () => {
  const entries = Array.from({ length: 600 }, (_, number) => ({ number }))
  expect(after([{ type: 'log', entries } as unknown as Frame]).log.map(({ number }) => number)).toEqual(
    Array.from({ length: 500 }, (_, index) => index + 100),
  )
  expect(reduce(nothingSeen, { type: 'breaker-closed', teamName: 'backend', ...ids, ...numbered })).toBe(nothingSeen)
})
