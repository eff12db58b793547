import { expect, test } from 'vitest'
import type { Limited } from '../../base/protocol/limit.ts'
import type { Holder } from '../session/open-elsewhere.ts'
import { openSeams } from '../session/seams.ts'
import { MessageLog } from '../turn/message-log.ts'
import { OwnedTurn } from '../turn/owned-turn.ts'
import { Waits } from './waits.ts'

interface Message {
  readonly to?: string
  readonly awaits?: readonly string[]
  readonly behind?: string
  readonly asksElsewhere?: string
  readonly firstAt?: number | null
  readonly end?: object
  readonly refusal?: object
}

/** Facts that apply to every message in this world; without any, a message is working. */
interface Facts {
  readonly limited?: Limited
  readonly isHeld?: boolean
  readonly unreachableSince?: number
  readonly away?: { readonly host: string; readonly since: number }
  readonly question?: { readonly turn: string; readonly toolName: string }
  readonly holder?: Holder
  readonly retryAt?: number
  readonly placeSince?: number
  /** A conversation with a process asks a person. */
  readonly asking?: string
  readonly state?: 'stopped' | 'idle' | 'processing'
}

const accepted = 1000
const now = 5000

function waits(messages: Readonly<Record<string, Message>>, facts: Facts): Waits {
  const turns = new Map(
    Object.entries(messages).map(([id, { to = 'backend', awaits = [], behind, firstAt = accepted, ...more }]) => {
      const turn = {
        id,
        facts: { acceptedAt: accepted },
        firstAt,
        dispatchedAt: null,
        awaits: new Set(awaits),
        ...more,
      }
      const before = behind === undefined ? [] : [{ id: behind }]
      return [id, { turn, session: { to, thread: 'main', sessionId: 's', queue: [...before, turn] } }]
    }),
  )
  const open = openSeams()
  const { limited, question, unreachableSince, retryAt, placeSince } = facts
  const parts = {
    orchestrator: {
      turn: (id: string) => turns.get(id)?.turn,
      sessionOf: ({ id }: { id: string }) => turns.get(id)!.session,
    },
    pool: {
      state: () => facts.state ?? 'stopped',
      breakers: { broken: () => retryAt && { state: 'open', cause: 'exit 1', retryAt } },
      holders: () => [{ to: 'docs', row: { id: 1 } }, ...(facts.asking ? [{ to: facts.asking, row: { id: 2 } }] : [])],
      placeWait: () =>
        placeSince && { kind: 'process', since: placeSince, what: 'No free process: 2 of 2 are busy', remedy: 'wait' },
    },
    seams: {
      accounts: { ...open.accounts, of: () => limited, holds: () => facts.isHeld ?? true },
      holders: { ...open.holders, holderOf: () => facts.holder },
      otherHosts: { ...open.otherHosts, isThere: () => facts.away !== undefined, away: () => facts.away },
      questions: {
        ofSession: (id: number) => (id === 2 ? { toolName: 'Bash' } : undefined),
        ofTurn: (id: string) =>
          question?.turn === id
            ? { toolName: question.toolName, to: 'backend', askedAt: 2000, deadline: 9000 }
            : undefined,
      },
    },
    machines: { linkOf: () => unreachableSince && { state: 'unreachable', since: unreachableSince } },
    clock: { now: () => now },
  }
  return new Waits(parts as never)
}

const cases: readonly (readonly [string, Facts, object | undefined])[] = [
  [
    'a limit of the account',
    { limited: { until: 8000, window: 'five_hour' } },
    {
      kind: 'limit',
      since: accepted,
      until: 8000,
      what: 'The account of backend is over its five-hour limit',
      remedy: 'wait, or give the team another account',
    },
  ],
  [
    'an account over its limit, while the message is at work',
    { limited: { until: 8000, window: 'x' }, isHeld: false },
    undefined,
  ],
  [
    'a login that ran out',
    { limited: { until: 8000, window: 'login' } },
    { what: 'The account of backend has an expired login', remedy: expect.stringContaining('/login') },
  ],
  [
    'a machine that cannot be reached',
    { unreachableSince: 3000 },
    { kind: 'machine', since: 3000, what: 'The machine of backend cannot be reached' },
  ],
  [
    'another host with an Iris that is asleep',
    { away: { host: 'studio', since: 3000 } },
    { kind: 'machine', since: 3000, what: 'The machine "studio" is asleep or away' },
  ],
  [
    'a permission request',
    { question: { turn: 'a', toolName: 'Bash' }, state: 'processing' },
    { kind: 'question', since: 2000, until: 9000, what: 'Permission to use Bash (backend)' },
  ],
  [
    'a person who has it open in a terminal',
    { holder: { pid: 7, since: 500, job: undefined } },
    { kind: 'person', since: accepted, what: 'Open in a terminal (process 7)', remedy: 'close it there' },
  ],
  [
    'a background session of Claude Code',
    { holder: { pid: 7, since: 4000, job: '3f2a' } },
    { kind: 'background', since: 4000, what: 'Open in background session 3f2a', remedy: '`claude stop 3f2a`' },
  ],
  [
    'a person who came while it is at work',
    { holder: { pid: 7, since: 4000, job: undefined }, state: 'processing' },
    undefined,
  ],
  [
    'a process that failed too often',
    { retryAt: 6000 },
    { kind: 'failures', until: 6000, what: 'Claude Code of backend failed five times within a minute' },
  ],
  ['a process that may be started again', { retryAt: 4000 }, undefined],
  [
    'a free process',
    { placeSince: 3500 },
    { kind: 'process', since: 3500, what: 'No free process: 2 of 2 are busy', remedy: 'wait' },
  ],
  [
    'a process that waits for a person',
    { placeSince: 3500, asking: 'payments' },
    { kind: 'process', remedy: 'answer the permission request of payments, or wait' },
  ],
  ['nothing that is known', {}, undefined],
]

test.each(cases)('a message that waits for %s says so', (_, facts, expected) => {
  const found = waits({ a: {} }, facts).of('a')
  expect({ found }).toMatchObject({ found: expected })
})

test('it says what the message before it waits for, and the one that it asked; what has ended waits for nothing', () => {
  const facts = { question: { turn: 'deep', toolName: 'Edit' }, state: 'processing' as const }
  const all = {
    deep: {},
    asking: { awaits: ['deep'] },
    queued: { behind: 'asking' },
    over: { end: {}, awaits: ['deep'] },
  }
  expect(waits(all, facts).of('asking')).toMatchObject({ kind: 'question', what: 'Permission to use Edit (backend)' })
  expect(waits(all, facts).of('queued')).toMatchObject({ kind: 'question' })
  expect(waits(all, facts).of('asking', true)).toBeUndefined()
  expect(waits(all, facts).of('over')).toBeUndefined()
  expect(waits(all, facts).ofFirst(['queued'])).toMatchObject({ kind: 'question' })
  expect(waits(all, facts).ofFirst([])).toBeUndefined()
})

test('a request that the API refuses says so while it is at work, and no longer once the model speaks', () => {
  const log = new MessageLog('/nowhere', 1000)
  const turn = new OwnedTurn({ id: 'a', pair: {}, acceptedAt: accepted, contextReset: null } as never, log, () => 3000)
  const state = 'processing' as const
  const found = () => waits({ a: turn.refusal === undefined ? {} : { refusal: turn.refusal } }, { state }).of('a')
  turn.take({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, error_status: 401, error: 'no login' })
  expect(found()).toEqual({
    kind: 'api',
    since: 3000,
    what: "The model's API refuses (401, no login); Claude Code tries again, try 1 of 10",
    remedy: 'check the login: run claude in its project, then /login',
  })
  turn.take({ type: 'system', subtype: 'api_retry', attempt: 2, max_retries: 10, error_status: null })
  expect(found()).toMatchObject({ what: expect.stringContaining('no answer'), remedy: expect.stringMatching(/^wait/) })
  turn.take({ type: 'assistant', message: { content: [] } })
  expect(found()).toBeUndefined()
})

test('messages that wait for each other are looked at once', () => {
  expect(waits({ a: { awaits: ['b'] }, b: { behind: 'a' } }, { state: 'processing' }).of('a')).toBeUndefined()
})

test('what a person is asked on another host is said without its times', () => {
  const found = waits({ a: { asksElsewhere: 'Bash (api@studio)' } }, { state: 'processing' }).of('a')
  expect(found).toMatchObject({ kind: 'question', since: accepted, what: 'Permission to use Bash (api@studio)' })
  expect(found).not.toHaveProperty('until')
})
