import { expect, test } from 'vitest'
import { UsualUse, usesIn } from './usual-use.ts'

const pair = (to: string) => ({ from: 'frontend', to, thread: 'main' })
const hour = 3_600_000
const week = 168 * hour

test('a conversation holds its place longer for a message the longer its usual gap has passed', () => {
  const use = new UsualUse()
  for (let n = 0; n < 30; n++) {
    use.asked(pair('hourly'), n * hour)
    if (n > 20) use.asked(pair('weekly'), (n - 20) * week)
  }
  const last = 29 * hour
  const held = (to: string, at: number) => use.msPerMessage(pair(to), at, 0)
  const soon = held('hourly', last + 0.9 * hour)
  expect(soon).toBeLessThan(3 * hour)
  // Overdue by more than its gaps ever differed, it counts as unused.
  expect(held('hourly', last + 3 * hour)).toBeGreaterThan(10 * soon)
  expect(held('weekly', 9 * week + hour)).toBeGreaterThan(10 * soon)
})

test('of a conversation without a message it knows what all do, and that its process is unused', () => {
  const use = new UsualUse()
  for (let n = 0; n < 30; n++) use.asked(pair('hourly'), n * hour)
  const held = (unusedMs: number) => use.msPerMessage(pair('woken'), 30 * hour, unusedMs)
  expect(held(10 * hour)).toBeGreaterThan(3 * held(hour / 2))
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
  expect(use.all()).toEqual([[expect.any(String), expect.objectContaining({ lastAt: 5000 })]])
})

test('10 000 conversations are known, those used last', () => {
  const use = new UsualUse()
  for (let n = 0; n <= 10_000; n++) use.asked(pair(`team-${n}`), n)
  expect(use.all()).toHaveLength(10_000)
  expect(use.all()[0]![1].lastAt).toBe(1)
})
