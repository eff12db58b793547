import { expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { type Deferred, deferred } from '../../base/lib/deferred.ts'
import { Backlog } from './backlog.ts'
import { Budget, type Entry } from './budget.ts'

/** A backlog whose writes end when the test says so. */
function newBacklog(budget = new Budget(1000), clock = new FakeClock()) {
  const writes: { texts: readonly string[]; done: Deferred<void> }[] = []
  const told: string[] = []
  const backlog = new Backlog({
    clock,
    budget,
    write: (texts) => {
      const done = deferred<void>()
      writes.push({ texts, done })
      return done.promise
    },
    lostText: (count) => `lost ${count}`,
    onFailed: (error) => told.push(String(error)),
    onBehind: () => told.push('behind'),
    onIdle: () => told.push('idle'),
  })
  return { backlog, budget, clock, writes, told }
}

function entry(text: string, bytes = 100, isExpendable = false): Entry {
  return { bytes, at: 0, isExpendable, render: () => text }
}

test('what comes within a moment is one write, and the next one waits for it', async () => {
  const { backlog, clock, writes, told, budget } = newBacklog()
  for (const text of ['a', 'b']) backlog.add(entry(text))
  await clock.advance(499)
  expect(writes).toEqual([])
  await clock.advance(1)
  for (const text of ['c', 'd']) backlog.add(entry(text))
  await clock.advance(1000)
  expect(writes.map(({ texts }) => texts)).toEqual([['a', 'b']])
  expect(budget.waitingBytes).toBe(400)
  writes[0]!.done.resolve()
  await clock.advance(499)
  expect(writes).toHaveLength(1)
  await clock.advance(1)
  expect(writes.map(({ texts }) => texts)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  writes[1]!.done.resolve()
  await clock.advance(0)
  expect(told).toEqual(['idle'])
  expect([budget.waitingBytes, backlog.isIdle, clock.pending]).toEqual([0, true, 0])
})

test('when the disk is too slow partial lines are left out first, then all, and the file says how many', async () => {
  const { backlog, clock, writes, told } = newBacklog()
  for (let number = 1; number <= 8; number++) backlog.add(entry(`p${number}`, 100, true))
  for (let number = 1; number <= 6; number++) backlog.add(entry(`x${number}`))
  backlog.add(entry('p9', 100, true))
  await clock.advance(500)
  expect(writes[0]!.texts).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'lost 2', 'x1', 'x2', 'x3', 'x4', 'lost 3'])
  expect(told).toEqual(['behind'])
  writes[0]!.done.resolve()
  await clock.advance(0)
  for (let number = 1; number <= 8; number++) backlog.add(entry(`q${number}`, 100, true))
  expect(told).toEqual(['behind', 'idle', 'behind'])
})

test('a write that failed is tried again with what came since, and told of once', async () => {
  const { backlog, clock, writes, told } = newBacklog()
  backlog.add(entry('a'))
  for (const texts of [['a'], ['a', 'b']]) {
    await clock.advance(5000)
    expect(writes.at(-1)!.texts).toEqual(texts)
    if (texts.length === 1) backlog.add(entry('b'))
    writes.at(-1)!.done.reject(new Error('full'))
    await clock.advance(0)
    await clock.advance(4999)
    expect(writes.at(-1)!.texts).toEqual(texts)
  }
  await clock.advance(1)
  writes.at(-1)!.done.resolve()
  await clock.advance(0)
  expect(told).toEqual(['Error: full', 'idle'])
  backlog.add(entry('c'))
  await clock.advance(500)
  writes.at(-1)!.done.reject(new Error('full again'))
  await clock.advance(0)
  expect(told).toEqual(['Error: full', 'idle', 'Error: full again'])
})

test('what waits for a disk that refuses is given up before a line of another session is', async () => {
  const budget = new Budget(1000)
  const broken = newBacklog(budget)
  const well = newBacklog(budget)
  for (let number = 0; number < 5; number++) broken.backlog.add(entry(`a${number}`))
  await broken.clock.advance(500)
  broken.writes[0]!.done.reject(new Error('full'))
  await broken.clock.advance(0)
  for (let number = 0; number < 5; number++) well.backlog.add(entry(`b${number}`, 100, true))
  expect(well.told).toEqual([])
  expect(broken.told).toEqual(['Error: full', 'behind'])
  broken.backlog.add(entry('later'))
  await broken.clock.advance(5000)
  expect(broken.writes[1]!.texts).toEqual(['lost 5', 'later'])
  await well.clock.advance(500)
  expect(well.writes[0]!.texts).toEqual(['b0', 'b1', 'b2', 'b3', 'b4'])
})

test('what waits for a disk that takes it again is not given up', async () => {
  const budget = new Budget(1000)
  const { backlog, clock, writes, told } = newBacklog(budget)
  backlog.add(entry('a'))
  await clock.advance(500)
  writes[0]!.done.reject(new Error('full'))
  await clock.advance(5000)
  writes[1]!.done.resolve()
  await clock.advance(0)
  for (let number = 0; number < 8; number++) backlog.add(entry(`b${number}`))
  await clock.advance(500)
  expect(writes[2]!.texts).toHaveLength(8)
  expect(told).toEqual(['Error: full', 'idle'])
})

test('a great deal is written in pieces, one after the other without a pause', async () => {
  const { backlog, clock, writes } = newBacklog(new Budget(10_000_000))
  for (let number = 0; number < 5; number++) backlog.add(entry(`${number}`, 200_000))
  backlog.add(entry('huge', 5_000_000))
  await clock.advance(500)
  for (let number = 0; number < 6; number++) {
    await eventually(() => writes[number], 'the next piece')
    writes[number]!.done.resolve()
  }
  expect(writes.map(({ texts }) => texts.length)).toEqual([1, 1, 1, 1, 1, 1])
})

test('closing writes what waits at once, and once only to a disk that refuses', async () => {
  const { backlog, clock, writes } = newBacklog()
  backlog.add(entry('a'))
  const closed = backlog.close()
  await eventually(() => writes[0], 'the write')
  writes[0]!.done.reject(new Error('full'))
  await closed
  backlog.add(entry('b'))
  await clock.advance(10_000)
  expect(writes).toHaveLength(1)
})
