import { expect, test } from 'vitest'
import { Pace } from './pace.ts'

const hourMs = 3_600_000

test('an event is tried for three days, with pauses that grow to six hours and differ by chance', () => {
  const tries = (random: number) => {
    const pace = new Pace(() => random)
    const times = [0]
    for (;;) {
      const at = pace.nextTry({ tries: times.length, failedAt: 0, now: times.at(-1)!, notBefore: undefined })
      if (at === undefined) return times
      times.push(at)
    }
  }
  const usual = tries(0.5)
  const pauses = usual.slice(1).map((at, index) => at - usual[index]!)
  expect(pauses.slice(0, 5)).toEqual([5000, 15_000, 45_000, 135_000, 405_000])
  expect(Math.max(...pauses)).toBe(6 * hourMs)
  expect(usual.length).toBeGreaterThan(15)
  expect(usual.at(-1)).toBeGreaterThanOrEqual(72 * hourMs)
  expect(usual.at(-2)).toBeLessThan(72 * hourMs)
  expect([tries(0)[1], tries(0.999)[1]]).toEqual([4000, expect.closeTo(6000, -2)])
})

test('an endpoint may ask for a longer pause, and for no shorter one', () => {
  const pace = new Pace(() => 0.5)
  const of = (notBefore: number) => pace.nextTry({ tries: 1, failedAt: 0, now: 0, notBefore })
  expect([of(60_000), of(1000)]).toEqual([60_000, 5000])
})

test('five different events in a row make it slow, one event alone never, and one that is taken ends it', () => {
  const pace = new Pace(() => 0.5)
  for (let tries = 0; tries < 20; tries++) pace.failed(1, 0)
  expect([pace.isSlow, pace.mayTry(0)]).toEqual([false, true])
  for (let event = 2; event <= 5; event++) pace.failed(event, 0)
  expect([pace.isSlow, pace.mayTry(999), pace.mayTry(1000)]).toEqual([true, false, true])
  for (let again = 0; again < 10; again++) pace.failed(6, 1000)
  expect([pace.mayTry(30_999), pace.mayTry(31_000)]).toEqual([false, true])
  // The clock was set back by an hour.
  expect(pace.mayTry(1000 - hourMs)).toBe(true)
  pace.reset()
  expect([pace.isSlow, pace.mayTry(0)]).toEqual([false, true])
})
