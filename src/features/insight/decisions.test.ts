import { expect, test } from 'vitest'
import { newStore } from '../../../test/support/new-store.ts'
import { createLog } from '../../base/lib/log.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { RecordDecisions } from './decisions.ts'
import { InsightDecisions } from './rows/insight-decisions.ts'

const pair = { from: 'backend', to: 'billing', thread: 'main', sessionId: 'main' }
const spawned = { type: 'process-spawned', at: 10_000, readyMs: 1500 }
const warmed = { type: 'warmed-ahead', at: 10_001, asker: 'frontend' }
const terminated = { type: 'process-terminated', at: 20_000 }

function recorder() {
  const rows = new InsightDecisions(newStore())
  const decisions = new RecordDecisions({ rows, log: createLog({ least: () => 'error' }) })
  const take = (...events: readonly object[]) =>
    events.forEach((event) => decisions.take({ ...pair, ...event } as PublishedEvent))
  return { rows, take }
}

function delivered(turnId: string, at: number, queuedMs: number) {
  return { type: 'turn-delivered', turnId, at, queuedMs }
}

test('the first message of a process that was started ahead did not wait for the start', () => {
  const { rows, take } = recorder()
  take(spawned, warmed, delivered('one', 12_000, 5), delivered('two', 13_000, 5))
  expect(rows.startFor('one')).toMatchObject({ asker: 'frontend', to: 'billing', usedAt: 12_000, savedMs: 1500 })
  expect(rows.startFor('two')).toBeUndefined()
  expect(rows.startsSince(0)).toEqual({ starts: 1, used: 1, savedMs: 1500 })
  expect(rows.startsSince(10_002)).toEqual({ starts: 0, used: 0, savedMs: 0 })
})

test('a message that came while the process started saved only what had passed of the start', () => {
  const { rows, take } = recorder()
  // Accepted 500 ms after the process was started, and delivered before Iris noted the start.
  take(spawned, delivered('one', 10_000, 1000), warmed)
  expect(rows.startFor('one')).toMatchObject({ usedAt: 10_000, savedMs: 500 })
})

test('a process that ends without a message counts as not used; so does one that nobody started ahead', () => {
  const { rows, take } = recorder()
  take(spawned, warmed, terminated, { ...spawned, at: 30_000 }, delivered('one', 31_000, 1000))
  expect(rows.startFor('one')).toBeUndefined()
  expect(rows.startsSince(0)).toEqual({ starts: 1, used: 0, savedMs: 0 })
})

test('of two messages that used one file, both know it', () => {
  const { rows, take } = recorder()
  take({ type: 'files-collided', at: 5, turnId: 'one', otherTurnId: 'two', path: 'src/a.ts' })
  for (const turn of ['one', 'two'])
    expect(rows.collisionsOf(turn)).toEqual([{ at: 5, turn: 'one', otherTurn: 'two', path: 'src/a.ts' }])
  expect(rows.collisionsOf('three')).toEqual([])
  expect(rows.collisionsSince(0)).toEqual({ times: 1 })
})

test('the first message after a process was kept did not wait for a start, and counts once', () => {
  const { rows, take } = recorder()
  const kept = { type: 'process-kept', at: 20_000, instead: { from: 'mobile', to: 'backend', thread: 'main' } }
  take(
    kept,
    spawned,
    delivered('one', 12_000, 5),
    kept,
    kept,
    delivered('two', 21_000, 5),
    delivered('three', 22_000, 5),
  )
  expect(rows.keptFor('two')).toMatchObject({ ended: { from: 'mobile', to: 'backend' }, usedAt: 21_000, savedMs: 1500 })
  expect([rows.keptFor('one'), rows.keptFor('three')]).toEqual([undefined, undefined])
  take(kept, terminated)
  expect(rows.balancedSince(0)).toEqual({ kept: 2, used: 1, savedMs: 1500, overtaken: 0 })
  expect(rows.balancedSince(20_001)).toEqual({ kept: 0, used: 0, savedMs: 0, overtaken: 0 })
})

test('of a turn that overtook another, both know it', () => {
  const { rows, take } = recorder()
  take({ type: 'turn-overtook', at: 5, turnId: 'one', overtaken: 'two' })
  for (const turn of ['one', 'two'])
    expect(rows.overtakingsOf(turn)).toEqual([{ at: 5, turn: 'one', overtaken: 'two' }])
  expect(rows.balancedSince(5)).toMatchObject({ overtaken: 1 })
})
