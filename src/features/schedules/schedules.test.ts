import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { wallTimeOf } from '../../base/lib/zoned-time.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { everies } from '../../base/protocol/schedule.ts'
import { openSeams } from '../../kernel/session/seams.ts'
import type { Ask } from '../../kernel/turn/ask.ts'
import { nextTime, planned, type SchedulePlan } from '../../kernel/turn/plan.ts'
import type { Config } from '../../platform/config/config.ts'
import { makeTables } from '../../platform/store/database.ts'
import { ScheduleRows } from './rows.ts'
import { type ScheduledAsk, Schedules, type SchedulesParts } from './schedules.ts'

const hourMs = 3_600_000
const day = 24 * hourMs

/** A clock of a machine that can sleep: then only the wall clock continues. */
class SleepyClock extends FakeClock {
  wall: number

  constructor(wall: number) {
    super()
    this.wall = wall
  }

  override now(): number {
    return this.wall + this.elapsed()
  }
}

interface Sent {
  readonly key: string
  readonly at: number
}

const quiet = { isWorking: false, joins: false, asks: 0 }

/** Schedules over a store in memory, and an orchestrator that takes asks, refuses them, or cannot store them. */
function world(start: number) {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  makeTables(database)
  const clock = new SleepyClock(start)
  const rows = new ScheduleRows<ScheduledAsk, SchedulePlan>(database)
  const sent: Sent[] = []
  const state = { ...quiet, fails: undefined as IrisError | undefined, look: Promise.resolve() }
  const turns = {
    ask: async (ask: Ask) => {
      if (state.fails) throw state.fails
      if (++state.asks > 100) throw new IrisError('internal', 'It is sent again and again.', 'Stop.')
      const known = sent.findIndex(({ key }) => key === ask.idempotencyKey)
      if (known >= 0) return { id: `turn-${known}` }
      const id = `turn-${sent.length}`
      sent.push({ key: ask.idempotencyKey!, at: clock.now() })
      // A message that joins a running turn is accepted as no turn of its own.
      if (!state.joins) ask.alongside?.(id)
      return { id }
    },
    handle: () => ({
      status: async () => {
        await state.look
        return state.isWorking ? { live: { end: undefined } } : { row: {} }
      },
    }),
  } as unknown as SchedulesParts['turns']
  const begun = () => {
    const schedules = new Schedules({
      rows,
      clock,
      turns,
      log: { info: () => {}, warn: () => {} },
      publish: () => {},
      config: () =>
        ({
          teams: new Map([['backend', {}]]),
          formerTeams: new Map(),
          settings: { maxMessageBytes: 1000 },
        }) as unknown as Config,
      seams: openSeams(),
      typed: { concerns: () => false } as unknown as SchedulesParts['typed'],
      live: { mustTake: () => {} },
    })
    schedules.begin()
    return schedules
  }
  const at = { schedules: begun() }
  return {
    clock,
    rows,
    sent,
    state,
    at,
    restart: () => {
      at.schedules.close()
      at.schedules = begun()
    },
    sleep: (ms: number) => {
      clock.wall += ms
    },
  }
}

const ask: ScheduledAsk = { pair: { from: 'external', to: 'backend', thread: 'main' }, message: 'x', waits: false }
const unavailable = new IrisError('store_unavailable', 'The disk is full.', 'Free some.')

const plans = fc.record({
  every: fc.constantFrom(...everies),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
  hour: fc.integer({ min: 0, max: 23 }),
  minute: fc.integer({ min: 0, max: 59 }),
  weekday: fc.integer({ min: 0, max: 6 }),
})

const acts = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 2 * hourMs }) }),
    fc.record({ act: fc.constant('sleep' as const), ms: fc.integer({ min: 1, max: 20 * day }) }),
    fc.record({ act: fc.constant('restart' as const), ms: fc.integer({ min: 0, max: 3 * day }) }),
    fc.record({ act: fc.constant('fault' as const), ms: fc.integer({ min: 1, max: hourMs }) }),
  ),
  { minLength: 1, maxLength: 8 },
)

test('over sleeps, restarts and faults each time is sent once at most, and what was missed once', async () => {
  const property = async (plan: SchedulePlan, start: number, steps: readonly { act: string; ms: number }[]) => {
    const { clock, sent, state, at, restart, sleep } = world(start)
    const first = nextTime(plan, start)
    await at.schedules.add('a', ask, plan, first)
    for (const { act, ms } of steps) {
      if (act === 'restart') {
        at.schedules.close()
        sleep(ms)
        restart()
      } else if (act === 'sleep') sleep(ms)
      if (act === 'fault') state.fails = unavailable
      if (act === 'wait' || act === 'fault') await clock.advance(ms)
      state.fails = undefined
      // The timer that looks again goes off.
      const before = sent.length
      const due = nextTime(plan, sent.length === 0 ? start : sent.at(-1)!.at)
      const wasDue = due <= clock.now() ? 1 : 0
      await clock.advance(31_000)
      const within = nextTime(plan, clock.now() - 31_000) <= clock.now() ? 1 : 0
      expect(sent.length - before).toBeLessThanOrEqual(wasDue + within)
      expect(sent.length - before).toBeGreaterThanOrEqual(wasDue)
    }
    expect(new Set(sent.map(({ key }) => key)).size).toBe(sent.length)
    for (const [n, { at: moment }] of sent.entries()) {
      const previous = n === 0 ? start : sent[n - 1]!.at
      expect(nextTime(plan, previous)).toBeLessThanOrEqual(moment)
    }
  }
  const start = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
  await fc.assert(fc.asyncProperty(plans, start, acts, property), { numRuns: 40 })
})

test('each day of two years has its time once, also where clocks change', () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
    for (const hour of [0, 1, 2, 3, 12]) {
      const plan: SchedulePlan = { every: 'day', zone, hour, minute: 30, weekday: 0 }
      const begin = nextTime(plan, Date.UTC(2026, 0, 1))
      let at = begin
      for (let days = 1; days < 730; days++) {
        const next = nextTime(plan, at)
        expect(next - at).toBeGreaterThanOrEqual(22.5 * hourMs)
        expect(next - at).toBeLessThanOrEqual(25.5 * hourMs)
        at = next
      }
      expect(Math.round((at - begin) / day)).toBe(729)
    }
  }
})

const now = Date.UTC(2026, 10, 23, 8, 30)
const berlin = { timeZone: 'Europe/Berlin' }
const iso = (at: number) => new Date(at).toISOString().slice(0, 16)

test.each([
  [{ at: '10:00' }, '2026-11-23T09:00'],
  [{ at: '9:00' }, '2026-11-24T08:00'],
  [{ at: '9:30', every: 'day' }, '2026-11-24T08:30'],
  [{ every: 'day' }, '2026-11-24T08:30'],
  [{ every: 'hour' }, '2026-11-23T09:30'],
  [{ every: 'hour', at: '0:45' }, '2026-11-23T08:45'],
  [{ every: 'week' }, '2026-11-30T08:30'],
  [{ every: 'weekday', at: '8:00' }, '2026-11-24T07:00'],
  [{ at: '2026-12-24T18:00' }, '2026-12-24T17:00'],
  [{ at: '2026-11-28 18:00', every: 'weekday' }, '2026-11-28T17:00'],
  [{ at: '2026-12-24T18:00Z' }, '2026-12-24T18:00'],
  [{ at: '2026-12-24T18:00-05:00' }, '2026-12-24T23:00'],
  [{ at: Date.UTC(2026, 11, 24, 18) }, '2026-12-24T18:00'],
] as const)('%o is first at %s', (when, first) => {
  expect(iso(planned({ ...berlin, ...when }, now).nextAt)).toBe(first)
})

test.each([
  [{ at: '25:00' }, /is not a time/],
  [{ at: '9 o’clock' }, /is not a time/],
  [{ at: '2026-02-30T10:00' }, /is not a time/],
  [{ at: '2026-11-23T09:00' }, /is in the past/],
  [{ at: '2026-11-23T08:00:00Z' }, /is in the past/],
  [{ at: '2036-11-23T09:00' }, /more than a year/],
  [{ at: '9:00', timeZone: 'Berlin' }, /no time zone "Berlin"/],
])('%o is refused', (when, why) => {
  expect(() => planned({ ...berlin, ...when }, now)).toThrow(why)
})

test('what is refused is said, and the next time is tried; one that still runs leaves a time out', async () => {
  const { clock, rows, sent, state, at } = world(now)
  const { plan, nextAt } = planned({ ...berlin, every: 'hour' }, now)
  await at.schedules.add('a', ask, plan, nextAt)
  state.fails = new IrisError('queue_full', 'The queue is full.', 'Wait.')
  await clock.advance(hourMs)
  expect(rows.byId('a')).toMatchObject({ problem: 'The queue is full.', lastTurn: null })
  state.fails = undefined
  await clock.advance(hourMs)
  expect(rows.byId('a')).toMatchObject({ problem: null, lastTurn: 'turn-0' })
  state.isWorking = true
  await clock.advance(hourMs)
  expect(rows.byId('a')).toMatchObject({ problem: expect.stringContaining('had not ended'), lastTurn: 'turn-0' })
  state.isWorking = false
  await clock.advance(hourMs)
  expect(sent).toHaveLength(2)
})

test('one that joins the running message is sent once for each time too', async () => {
  const { clock, rows, sent, state, at, restart } = world(now)
  state.joins = true
  const { plan, nextAt } = planned({ ...berlin, every: 'hour' }, now)
  await at.schedules.add('a', { ...ask, whenBusy: 'steer' }, plan, nextAt)
  await at.schedules.add('once', { ...ask, whenBusy: 'steer' }, { ...plan, every: null }, nextAt)
  await clock.advance(hourMs)
  expect(sent).toHaveLength(2)
  expect(rows.byId('a')).toMatchObject({ nextAt: nextAt + hourMs, lastTurn: 'turn-0', problem: null })
  expect(rows.byId('once')).toBeUndefined()
  restart()
  await clock.advance(hourMs)
  expect(sent).toHaveLength(3)
})

test('a clock that was ahead for a while leaves no time out for as long', async () => {
  const { clock, rows, sent, at, sleep } = world(now)
  const { plan, nextAt } = planned({ ...berlin, every: 'day' }, now)
  await at.schedules.add('a', ask, plan, nextAt)
  sleep(400 * day)
  await clock.advance(31_000)
  expect(sent).toHaveLength(1)
  sleep(-400 * day)
  await clock.advance(31_000)
  expect(rows.byId('a')).toMatchObject({ nextAt })
  // The time that was made up for while the clock was ahead is known by its key, and the next one is sent.
  await clock.advance(2 * day)
  expect(sent).toHaveLength(2)
  sleep(-2 * hourMs)
  await clock.advance(3 * hourMs)
  expect(new Set(sent.map(({ key }) => key)).size).toBe(sent.length)
})

test('one that is cancelled in the moment in which it is due is not sent', async () => {
  const { clock, sent, state, at } = world(now)
  const { plan, nextAt } = planned({ ...berlin, every: 'hour' }, now)
  await at.schedules.add('a', ask, plan, nextAt)
  await clock.advance(hourMs)
  expect(sent).toHaveLength(1)
  const looked = Promise.withResolvers<void>()
  state.look = looked.promise
  await clock.advance(hourMs)
  expect(at.schedules.cancel('a')).toBe(true)
  looked.resolve()
  await clock.advance(1)
  expect(sent).toHaveLength(1)
})

test('one that is sent once is gone after it; if it was refused, it stays until it is cancelled', async () => {
  const { clock, rows, state, at } = world(now)
  const { plan, nextAt } = planned({ ...berlin, at: '10:00' }, now)
  expect(wallTimeOf(nextAt, 'Europe/Berlin')).toMatchObject({ hour: 10, minute: 0 })
  await at.schedules.add('a', ask, plan, nextAt)
  await clock.advance(hourMs)
  expect(rows.byId('a')).toBeUndefined()
  await at.schedules.add('b', ask, plan, nextAt + hourMs)
  state.fails = new IrisError('queue_full', 'The queue is full.', 'Wait.')
  await clock.advance(hourMs)
  expect(rows.byId('b')).toMatchObject({ nextAt: null, problem: 'The queue is full.' })
  expect(at.schedules.cancel('b')).toBe(true)
  expect(at.schedules.cancel('b')).toBe(false)
})

test('there is a limit to their number, and an unknown team is refused at once', async () => {
  const { at } = world(now)
  const { plan, nextAt } = planned({ ...berlin, at: '10:00' }, now)
  const unknown = { ...ask, pair: { ...ask.pair, to: 'bakend' } }
  await expect(at.schedules.add('x', unknown, plan, nextAt)).rejects.toMatchObject({ code: 'unknown_team' })
  for (let n = 0; n < 500; n++) await at.schedules.add(`s${n}`, ask, plan, nextAt)
  await expect(at.schedules.add('x', ask, plan, nextAt)).rejects.toMatchObject({ code: 'invalid_input' })
  expect((await at.schedules.add('s0', ask, plan, nextAt)).id).toBe('s0')
})

test('one that was cancelled is not scheduled again by its key, until 90 days later', async () => {
  const { at, clock, rows } = world(Date.UTC(2026, 5, 1))
  const { plan, nextAt } = planned({ every: 'day', timeZone: 'UTC' }, clock.now())
  await at.schedules.add('a', ask, plan, nextAt)
  expect(at.schedules.cancel('a')).toBe(true)
  await expect(at.schedules.add('a', ask, plan, nextAt)).rejects.toThrow('The scheduled message a was cancelled.')
  expect(rows.all()).toEqual([])
  clock.wall += 91 * day
  await at.schedules.add('b', ask, plan, nextAt)
  expect(at.schedules.cancel('b')).toBe(true)
  await at.schedules.add('a', ask, plan, nextAt)
  expect(rows.all()).toHaveLength(1)
})
