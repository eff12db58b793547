import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { PermissionQuestion } from '../../base/agent/control-handler.ts'
import { createLog } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Config } from '../../platform/config/config.ts'
import { makeTables } from '../../platform/store/database.ts'
import { JournalRows } from '../../platform/store/journal.ts'
import { Audit } from '../audit/rows/audit.ts'
import { list } from './handlers/permissions.ts'
import { Policy } from './policy.ts'
import type { QuestionsParts } from './question.ts'
import { Questions } from './questions.ts'
import { PermissionGrants } from './rows/permission-grants.ts'
import { PermissionRows } from './rows/permissions.ts'

const session = { from: 'frontend', to: 'backend', thread: 'main', row: { id: 1 } }
const question: PermissionQuestion = {
  toolName: 'Bash',
  toolUseId: 'toolu_1',
  input: { command: 'make all' },
  suggestions: [],
  blockedPath: undefined,
}

let clock: FakeClock
let database: DatabaseSync
let parts: QuestionsParts
let questions: Questions
let events: IrisEvent[]
let timeoutMs: number
let grants: PermissionGrants
beforeEach(() => {
  clock = new FakeClock()
  database = new DatabaseSync(':memory:')
  makeTables(database)
  database.exec(
    `INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at)
     VALUES ('frontend', 'backend', 'main', 's1', 0, 0)`,
  )
  events = []
  timeoutMs = 1000
  const team = { realPath: '/project', grantPermission: 'ask' }
  const config = () =>
    ({
      settings: { permissionTimeout: timeoutMs },
      teams: new Map([['backend', team]]),
      formerTeams: new Map(),
      file: '/nowhere/config.yaml',
    }) as unknown as Config
  grants = new PermissionGrants(database)
  let ids = 0
  parts = {
    config,
    clock,
    grants,
    rows: new PermissionRows(database, new JournalRows(database)),
    rootOf: (turnId) => `above ${turnId}`,
    audit: new Audit(database),
    policy: new Policy({ config, grants, home: '/home' }),
    log: createLog({ least: () => 'error' }),
    newId: () => `q${++ids}`,
    publish: (event) => events.push(event),
    onGrant: () => {},
  }
  questions = new Questions(parts)
})

function ask(signal = new AbortController().signal, turn?: { id: string; cancelled: AbortSignal }) {
  return questions.ask(
    { session, processStart: 'start', turn, chain: ['frontend', 'backend'] },
    'ask',
    question,
    signal,
  )
}

test('the deadline is that of the setting in force when it is asked', async () => {
  timeoutMs = 5000
  const answer = ask()
  timeoutMs = 1
  await clock.advance(4999)
  expect(questions.find('q1')).toMatchObject({ state: 'pending', deadline: 5000 })
  await clock.advance(1)
  expect(await answer).toEqual({
    behavior: 'deny',
    message: 'Team "backend" may not use Bash: nobody answered within 5 s.',
  })
  expect(questions.find('q1')).toMatchObject({ state: 'timed_out', decidedAt: 5000 })
})

test.each([
  ['Claude Code withdraws it', new DOMException('', 'AbortError'), 'Claude Code withdrew the question'],
  ['its process ends', new Error('claude ended'), 'its process has ended'],
])('it ends when %s, and leaves no timer behind', async (_, reason, why) => {
  const gone = new AbortController()
  const answer = ask(gone.signal)
  gone.abort(reason)
  expect(await answer).toMatchObject({ behavior: 'deny', message: expect.stringContaining(why) })
  expect(questions.find('q1')).toMatchObject({ state: 'ended', decidedBy: 'iris' })
  expect(questions.answer('q1', { decision: 'allow', by: 'owner' })).toMatchObject({ status: 'ended' })
  expect(events.map(({ type }) => type)).toEqual(['permission:request', 'permission:resolved'])
  expect(clock.pending).toBe(0)
})

test('it ends with its message', async () => {
  database.exec(
    `INSERT INTO turns (id, session, message, hop, awaited, state, accepted_at) VALUES ('t1', 1, '', 1, 1, 'accepted', 0)`,
  )
  const turn = new AbortController()
  const answer = ask(undefined, { id: 't1', cancelled: turn.signal })
  expect(questions.ofTurn('t1')).toMatchObject({ id: 'q1' })
  expect(questions.open()).toMatchObject([{ permissionId: 'q1', turnId: 't1', rootTurnId: 'above t1' }])
  turn.abort('asker_cancelled')
  expect(await answer).toMatchObject({ message: expect.stringContaining('was cancelled') })
  expect(questions.ofTurn('t1')).toBeUndefined()
})

test('nobody is asked when it has ended already', async () => {
  expect(await ask(AbortSignal.abort(new Error('gone')))).toMatchObject({
    behavior: 'deny',
    message: expect.stringContaining('its process has ended'),
  })
  expect(events).toEqual([])
})

test('what cannot be written down is denied, and nobody is asked', async () => {
  database.exec('DROP TABLE permission_grants; DROP TABLE permissions')
  expect(await ask()).toMatchObject({ behavior: 'deny', message: expect.stringContaining('could not record') })
  expect(events).toEqual([])
})

test('an answer that cannot be written down is none: the question goes on, and silence is a denial', async () => {
  const answer = ask()
  database.exec(`CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
  expect(() => questions.answer('q1', { decision: 'allow', by: 'owner' })).toThrow('disk full')
  expect(questions.find('q1')).toMatchObject({ state: 'pending' })
  await clock.advance(1000)
  expect(await answer).toMatchObject({ behavior: 'deny' })
})

test('what a former daemon left open has ended', async () => {
  void ask()
  const next = new Questions(parts)
  next.endLeft(() => false)
  expect(next.find('q1')).toMatchObject({ state: 'ended', message: expect.stringContaining('Iris was stopped') })
})

test('an answer for the session is a grant of its exact rule; one for once is none', async () => {
  void ask()
  questions.answer('q1', { decision: 'allow', by: 'owner' })
  expect(grants.of(session, 1)).toEqual([])
  void ask()
  questions.answer('q2', { decision: 'deny', by: 'owner', scope: 'session' })
  expect(grants.of(session, 1)).toMatchObject([
    { session: 1, decision: 'deny', rule: 'Bash(make all)', permission: 'q2' },
  ])
})

test.each([
  ['a denial that changes the input', { decision: 'deny', updatedInput: {} }, 'A denial cannot have updatedInput'],
  ['a rule for once', { decision: 'allow', rule: 'Bash(ls)' }, 'An answer with the scope "once" cannot have a rule'],
  ['what is no rule', { decision: 'allow', scope: 'pair', rule: 'Bash(' }, 'The rule Bash('],
  ['another input', { decision: 'allow', inputHash: 'x' }, 'for a different input'],
] as const)('%s is refused, and the question stays', async (_, decision, what) => {
  void ask()
  expect(() => questions.answer('q1', { by: 'owner', ...decision })).toThrow(what)
  expect(questions.find('q1')).toMatchObject({ state: 'pending' })
})

test('a rule that denies wins over an answer', async () => {
  void ask()
  void ask()
  questions.answer('q1', { decision: 'deny', by: 'owner', scope: 'pair' })
  const allow = () => questions.answer('q2', { decision: 'allow', by: 'owner' })
  expect(allow).toThrow(IrisError)
  expect(allow).toThrow('the rule Bash(make all) of an earlier answer denies it')
})

test('an answer for always that cannot be written counts for once, and says so', async () => {
  const answer = ask()
  const { status, remembered } = questions.answer('q1', { decision: 'allow', by: 'owner', scope: 'always' })
  expect(status).toBe('answered')
  expect(await answer).toMatchObject({ behavior: 'allow' })
  await expect(remembered).rejects.toThrow('Your answer applies to this one time only.')
})

test('pages of requests have each one once, also when one is answered between two pages', async () => {
  for (const _ of [1, 2, 3, 4, 5]) {
    await clock.advance(10)
    void ask()
  }
  const listParts = { questions, clock, config: () => ({}), sessionList: {} } as never
  const page = (cursor?: string) =>
    list({ state: 'all', limit: 2, ...(cursor !== undefined && { cursor }) }, {} as never, listParts)
  const first = page()
  questions.answer('q4', { decision: 'allow', by: 'owner' })
  const second = page(first.nextCursor)
  const third = page(second.nextCursor)
  const idsOf = ({ permissions }: typeof first) => permissions.map(({ permissionId }) => permissionId)
  expect([first, second, third].map(idsOf)).toEqual([['q5', 'q4'], ['q3', 'q2'], ['q1']])
  expect(third.nextCursor).toBeUndefined()
})
