import { getEventListeners } from 'node:events'
import { Observable, Subject } from 'rxjs'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { LinkView } from '../../base/protocol/operations/teams.ts'
import type { Line } from '../../claude/driver/line.ts'
import { MessageLog } from '../../claude/turn/message-log.ts'
import { OwnedTurn } from '../../claude/turn/owned-turn.ts'
import type { TurnEnd } from '../../claude/turn/turn.ts'
import { Turns } from '../../core/orchestrator/turn-handle.ts'
import type { Asked } from '../../core/permission/question.ts'
import type { Call } from './call.ts'
import { aProgram } from './principal.ts'
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
  const questions = { asked$: asked.asObservable(), ofTurn: () => undefined }
  const turns = new Turns(
    { turn: () => turn, sessionOf: () => ({ sessionId: 's1' }) } as never,
    undefined as never,
    undefined as never,
  )
  const open = () =>
    log.listeners + clock.pending + Number(asked.observed) + getEventListeners(leaving.signal, 'abort').length
  const machines = { linkOf: (): LinkView | undefined => undefined }
  return { turn, handle: turns.handle('t1'), call, clock, questions, turns, machines, leaving, heard, open }
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
  const { turn, handle, call, clock, questions, turns, machines, open } = setting()
  const waits = Array.from({ length: 100 }, () => waitFor(handle, 0, call, { clock, questions, turns, machines }))
  await clock.advance(100_000)
  turn.settle(end)
  await Promise.all(waits)
  expect(open()).toBe(0)
})

test('what has ended, or whose caller has gone, is not waited for', async () => {
  const { turn, handle, call, clock, questions, turns, machines, leaving, heard, open } = setting()
  leaving.abort()
  await waitFor(handle, 0, call, { clock, questions, turns, machines })
  turn.settle(end)
  await waitFor(handle, 0, { ...call, signal: new AbortController().signal }, { clock, questions, turns, machines })
  expect(heard).toEqual([])
  expect(open()).toBe(0)
})

test('a caller hears for how long the machine of its message has been unreachable', async () => {
  const { turn, leaving, heard, ...world } = setting()
  turn.dispatched('t1', 0)
  const machines = { linkOf: (): LinkView => ({ state: 'unreachable', since: world.clock.now() - 7000 }) }
  const waited = waitFor(world.handle, 0, world.call, { ...world, machines })
  await world.clock.advance(5000)
  expect(heard.at(-1)).toBe('The machine of backend has been unreachable for 7 s; what runs there goes on.')
  leaving.abort()
  await waited
})
