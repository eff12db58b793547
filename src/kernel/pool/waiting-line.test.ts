import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { WaitingLine } from './waiting-line.ts'

const asking = ({
  turnId,
  from = 'a',
  to = 'b',
  priority = 0,
}: {
  turnId: string
  from?: string
  to?: string
  priority?: number
}) => ({
  from,
  to,
  running: { id: turnId, facts: { priority } },
})

/** The turns in the order in which they get a place; each may look for one when it is the first. */
function served(
  waiters: readonly { turnId: string; from?: string; to?: string; priority?: number; answerMs?: number }[],
): string[] {
  const line = new WaitingLine(new FakeClock())
  const waiting = waiters.map(({ turnId, answerMs, ...more }) => {
    const waiter = line.newWaiter(asking({ turnId, ...more }), answerMs)
    waiter.join()
    return { turnId, waiter }
  })
  const order: string[] = []
  while (order.length < waiters.length) {
    const { turnId, waiter } = waiting.find(({ waiter: each }) => each.isFirst)!
    order.push(turnId)
    waiter.take()
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

const asks = (count: number, from: string, to: string) =>
  Array.from({ length: count }, (_, index) => ({ turnId: `${from}→${to} ${index}`, from, to }))

test('askers take turns, however many messages each has, and in whatever order these came', () => {
  const order = served([...asks(60, 'crowd', 'b'), ...asks(2, 'late', 'b'), ...asks(1, 'last', 'c')])
  expect(order.slice(0, 5)).toEqual(['crowd→b 0', 'late→b 0', 'last→c 0', 'crowd→b 1', 'late→b 1'])
  expect(order.slice(5)).toEqual(
    asks(60, 'crowd', 'b')
      .map(({ turnId }) => turnId)
      .slice(2),
  )
})

test('the pairs of one asker take turns within its share', () => {
  const order = served([...asks(3, 'a', 'b'), ...asks(2, 'a', 'c'), ...asks(2, 'd', 'c')])
  expect(order).toEqual(['a→b 0', 'd→c 0', 'a→c 0', 'd→c 1', 'a→b 1', 'a→c 1', 'a→b 2'])
})

test('a message of a higher priority goes before all shares', () => {
  const urgent = { turnId: 'urgent', from: 'crowd', to: 'b', priority: 1 }
  expect(served([...asks(3, 'crowd', 'b'), ...asks(1, 'late', 'b'), urgent])[0]).toBe('urgent')
})

test('who has waited for nothing for long has saved up no shares', () => {
  const line = new WaitingLine(new FakeClock())
  const join = (from: string) => {
    const waiter = line.newWaiter(asking({ turnId: from, from }), undefined)
    waiter.join()
    return waiter
  }
  for (let time = 0; time < 10; time += 1) join('busy').take()
  const [busy, ...idle] = [join('busy'), join('idle'), join('idle')]
  idle[0]?.take()
  expect(busy.isFirst).toBe(true)
})

test('joining says whom it overtook, once', () => {
  const line = new WaitingLine(new FakeClock())
  line.newWaiter(asking({ turnId: 'slow' }), 9000).join()
  line.newWaiter({ from: 'a', to: 'b', running: undefined }, 9000).join()
  const quick = line.newWaiter(asking({ turnId: 'quick' }), 1)
  expect(quick.join()).toEqual(['slow'])
  expect(quick.join()).toEqual([])
})
