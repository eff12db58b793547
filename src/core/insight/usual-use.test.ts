import { expect, test } from 'vitest'
import { UsualUse, usesIn } from './usual-use.ts'

const pair = (to: string) => ({ from: 'frontend', to, thread: 'main' })
const week = 7 * 86_400_000

test('the next message is expected after the usual gap, newer ones counting more; after one message, in a week', () => {
  const use = new UsualUse()
  use.asked(pair('backend'), 1000)
  expect(use.expectedAt(pair('backend'))).toBe(1000 + week)
  use.asked(pair('backend'), 1100)
  expect(use.expectedAt(pair('backend'))).toBe(1200)
  use.asked(pair('backend'), 1300)
  expect(use.expectedAt(pair('backend'))).toBeCloseTo(1300 + 0.7 * 100 + 0.3 * 200)
  expect(use.expectedAt(pair('mobile'))).toBe(0)
})

test('an answer of a recording begins when the one before it has ended', () => {
  const times = (acceptedAt: number, answeredAt: number | null) => ({ ...pair('backend'), acceptedAt, answeredAt })
  const use = new UsualUse()
  use.learn(usesIn([times(0, 1000), times(100, 1500), times(2000, null)]))
  expect(use.answerMs(pair('backend'))).toBeCloseTo(0.7 * 1000 + 0.3 * 500)
  expect(use.answerMs(pair('mobile'))).toBe(60_000)
})

test('what was seen meanwhile counts, not what is learnt of the same conversation', () => {
  const use = new UsualUse()
  use.asked(pair('backend'), 5000)
  use.learn(usesIn([{ ...pair('backend'), acceptedAt: 1, answeredAt: 2 }]))
  expect(use.expectedAt(pair('backend'))).toBe(5000 + week)
})

test('10 000 conversations are known, those used last', () => {
  const use = new UsualUse()
  for (let n = 0; n <= 10_000; n++) use.asked(pair(`team-${n}`), n)
  expect(use.all()).toHaveLength(10_000)
  expect([use.expectedAt(pair('team-0')), use.expectedAt(pair('team-1'))]).toEqual([0, 1 + week])
})
