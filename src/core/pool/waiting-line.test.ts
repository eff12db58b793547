import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { WaitingLine } from './waiting-line.ts'

/** The turns in the order in which they get a place; each may look for one when it is the first. */
function served(waiters: readonly { turnId: string; priority?: number; answerMs?: number }[]): string[] {
  const line = new WaitingLine(new FakeClock())
  const waiting = waiters.map(({ turnId, priority = 0, answerMs }) => {
    const waiter = line.newWaiter({ turnId, priority, answerMs })
    waiter.join()
    return { turnId, waiter }
  })
  const order: string[] = []
  while (order.length < waiters.length) {
    const { turnId, waiter } = waiting.find(({ waiter: each }) => each.isFirst)!
    order.push(turnId)
    waiter.leave()
  }
  return order
}

test('without knowledge of answers, those who came first are served first', () => {
  expect(served([{ turnId: 'a' }, { turnId: 'b' }, { turnId: 'c', priority: 1 }])).toEqual(['c', 'a', 'b'])
  expect(served([{ turnId: 'a', answerMs: 900 }, { turnId: 'b' }])).toEqual(['a', 'b'])
  expect(served([{ turnId: 'a' }, { turnId: 'b', answerMs: 1 }])).toEqual(['a', 'b'])
})

test('who is usually answered sooner overtakes those of the same priority', () => {
  const waiters = [
    { turnId: 'urgent', priority: 1, answerMs: 9000 },
    { turnId: 'slow', answerMs: 9000 },
    { turnId: 'usual', answerMs: 500 },
    { turnId: 'quick', answerMs: 100 },
  ]
  expect(served(waiters)).toEqual(['urgent', 'quick', 'usual', 'slow'])
})

test('nobody is overtaken more than four times', () => {
  const quick = Array.from({ length: 7 }, (_, index) => ({ turnId: `quick ${index}`, answerMs: 100 }))
  expect(served([{ turnId: 'slow', answerMs: 9000 }, ...quick]).indexOf('slow')).toBe(4)
})

test('joining says whom it overtook, once', () => {
  const line = new WaitingLine(new FakeClock())
  line.newWaiter({ turnId: 'slow', priority: 0, answerMs: 9000 }).join()
  line.newWaiter({ turnId: undefined, priority: 0, answerMs: 9000 }).join()
  const quick = line.newWaiter({ turnId: 'quick', priority: 0, answerMs: 1 })
  expect(quick.join()).toEqual(['slow'])
  expect(quick.join()).toEqual([])
})
