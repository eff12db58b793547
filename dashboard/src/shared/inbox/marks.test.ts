import { expect, test } from 'vitest'
import { canBeDone, doableItems, marksBack } from './marks.ts'

const item = (kind: string, state = 'new', more: object = {}) =>
  ({ subject: `${kind}:${state}`, kind, state, ...more }) as never

test('an undo brings each thing back into the state in which it was', () => {
  const items = [item('answer', 'opened'), item('failed'), item('expired', 'later', { until: 5 }), item('answer')]
  expect(marksBack([{ sessionId: 'a', items }])).toEqual([
    { subjects: ['answer:opened'], state: 'opened' },
    { subjects: ['failed:new', 'answer:new'], state: 'new' },
    { subjects: ['expired:later'], state: 'later', until: 5 },
  ])
})

test('a row with a question is not done; its answers and failures would be', () => {
  const items = [item('question'), item('failed'), item('answer', 'done')]
  expect(canBeDone({ items })).toBe(false)
  expect(doableItems({ items })).toEqual([items[1]])
  expect(canBeDone({ items: items.slice(1) })).toBe(true)
  expect(canBeDone({ items: [] })).toBe(false)
})
