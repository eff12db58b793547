import { getEventListeners } from 'node:events'
import { Observable, Subject } from 'rxjs'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { Line } from '../../../base/agent/line.ts'
import type { WaitsFor } from '../../../base/protocol/waits-for.ts'
import { Turns } from '../../../kernel/accept/turn-handle.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { aProgram } from '../../../kernel/call/principal.ts'
import { MessageLog } from '../../../kernel/turn/message-log.ts'
import { OwnedTurn } from '../../../kernel/turn/owned-turn.ts'
import type { TurnEnd } from '../../../kernel/turn/turn.ts'
import type { Asked } from '../../permission/question.ts'
import type { LinkView } from '../../teams/contract.ts'
import { waitFor } from './wait.ts'

/** Counts its listeners. */
class CountedLog extends MessageLog {
  listeners = 0

  override readonly messages$ = new Observable<Line>(() => {
    this.listeners += 1
    return () => {
      this.listeners -= 1
    }
  })
}

const end: TurnEnd = {
  outcome: 'completed',
  reason: null,
  detail: null,
  answer: 'forty-two',
  value: null,
  partial: null,
  usage: null,
  background: null,
  sessionId: 's1',
  settledAt: 0,
}

function setting() {
  const log = new CountedLog('/nowhere', 1000)
  const pair = { from: 'frontend', to: 'backend', thread: 'main' }
  const facts = {
    message: 'hello',
    parentTurn: null,
    parentToolUse: null,
    hop: 1,
    ancestors: [],
    budget: null,
    awaited: true,
    responseSchema: null,
    priority: 0,
    sharedBudget: null,
    attachments: null,
    callback: null,
    metadata: null,
    contextReset: null,
  }
  const turn = new OwnedTurn({ ...facts, id: 't1', pair, acceptedAt: 0 }, log, () => 0)
  const leaving = new AbortController()
  const heard: string[] = []
  const call: Call = {
    auth: { principal: aProgram, team: undefined, parent: undefined },
    signal: leaving.signal,
    progress: ({ message }) => heard.push(message),
    idempotencyKey: undefined,
  }
  const clock = new FakeClock()
  const asked = new Subject<Asked>()
  const news = new Subject<string | undefined>()
  const questions = { asked$: asked.asObservable(), ofTurn: () => undefined }
  const turns = new Turns(
    { turn: () => turn, sessionOf: () => ({ sessionId: 's1' }) } as never,
    undefined as never,
    undefined as never,
  )
  const open = () =>
    log.listeners +
    clock.pending +
    Number(asked.observed) +
    Number(news.observed) +
    getEventListeners(leaving.signal, 'abort').length
  const machines = { linkOf: (): LinkView | undefined => undefined }
  /** The limit of backend's account. */
  const limit = { until: undefined as number | undefined, isAwaited: true }
  const accountLimits = {
    of: () => (limit.until === undefined ? undefined : { until: limit.until, window: 'five_hour' }),
    holds: () => limit.isAwaited,
    news$: news.asObservable(),
  }
  const waits = { of: (): WaitsFor | undefined => undefined }
  const parts = { clock, questions, turns, machines, accountLimits, waits }
  return { turn, handle: turns.handle('t1'), call, ...parts, parts, limit, news, leaving, heard, open }
}

test.each([
  ['the turn ends', ({ turn }: ReturnType<typeof setting>) => turn.settle(end)],
  ['its time is over', ({ clock }: ReturnType<typeof setting>) => clock.advance(5000)],
  ['its caller leaves', ({ leaving }: ReturnType<typeof setting>) => leaving.abort()],
])('a wait ends when %s, and leaves no listener and no timer behind', async (_, happens) => {
  const world = setting()
  const waited = waitFor(world.handle, 5000, world.call, world)
  await world.clock.advance(1)
  expect(world.open()).toBeGreaterThan(2)
  happens(world)
  await waited
  expect(world.open()).toBe(0)
})

test('a hundred waits for one turn leave nothing behind either', async () => {
  const { turn, handle, call, clock, parts, open } = setting()
  const waits = Array.from({ length: 100 }, () => waitFor(handle, 0, call, parts))
  await clock.advance(100_000)
  turn.settle(end)
  await Promise.all(waits)
  expect(open()).toBe(0)
})

test('what has ended, or whose caller has gone, is not waited for', async () => {
  const { turn, handle, call, parts, leaving, heard, open } = setting()
  leaving.abort()
  await waitFor(handle, 0, call, parts)
  turn.settle(end)
  await waitFor(handle, 0, { ...call, signal: new AbortController().signal }, parts)
  expect(heard).toEqual([])
  expect(open()).toBe(0)
})

test('a caller hears for how long the machine of its message has been unreachable', async () => {
  const { turn, leaving, heard, ...world } = setting()
  turn.dispatched('t1', 0)
  const machines = { linkOf: (): LinkView => ({ state: 'unreachable', since: world.clock.now() - 7000 }) }
  const waited = waitFor(world.handle, 0, world.call, { ...world, machines })
  await world.clock.advance(5000)
  expect(heard.at(-1)).toBe('The machine of backend has been unreachable for 7 s; work there continues.')
  leaving.abort()
  await waited
})

const limitedCases: readonly [string, number, boolean, boolean][] = [
  ['longer than the caller does: the caller is told at once', 6000, true, true],
  ['less long than the caller does: the caller goes on waiting', 4000, true, false],
  ['but the turn is at work: the caller goes on waiting', 6000, false, false],
]
test.each(limitedCases)('the account of a turn is over its limit for %s', async (_, ms, isAwaited, isOver) => {
  const { turn, handle, call, clock, parts, limit, news, heard, open } = setting()
  turn.dispatched('t1', 0)
  let hasEnded = false
  const waited = waitFor(handle, 5000, call, parts).then(() => {
    hasEnded = true
  })
  await clock.advance(1)
  Object.assign(limit, { until: clock.now() + ms, isAwaited })
  news.next('another turn')
  await clock.advance(1)
  expect(heard.join()).not.toContain('limit')
  news.next(isAwaited ? 't1' : undefined)
  await clock.advance(1)
  expect(hasEnded).toBe(isOver)
  expect(heard.some((text) => text.includes('over its five-hour limit until'))).toBe(isAwaited)
  await clock.advance(5000)
  await waited
  expect(open()).toBe(0)
  turn.settle(end)
})
