import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Breaker } from './breaker.ts'

function breaker(random = () => 0) {
  const clock = new FakeClock()
  return { clock, tested: new Breaker(clock, random) }
}

test('the pause before a start doubles with each failure, and there is none after a healthy life', () => {
  const { tested } = breaker()
  const pauses = [1, 2, 3, 4].map((n) => {
    tested.failed(String(n))
    return tested.pauseMs
  })
  expect(pauses).toEqual([0, 1000, 2000, 4000])
  expect(tested.well()).toBe(false)
  expect(tested.pauseMs).toBe(0)
})

test('up to half of a pause is left out, so that many do not start as one', () => {
  const { tested } = breaker(() => 1)
  tested.failed('1')
  tested.failed('2')
  expect(tested.pauseMs).toBe(500)
})

test('the fifth failure within a minute opens it, also when the process was well in between', async () => {
  const { tested, clock } = breaker()
  for (const n of [1, 2, 3, 4]) {
    expect(tested.failed(String(n))).toBeUndefined()
    await clock.advance(10_000)
    tested.well()
  }
  await clock.advance(1)
  expect(tested.failed('5')).toEqual({ state: 'open', cause: '5', retryAt: clock.now() + 60_000 })
})

test('failures that lie further apart never open it', async () => {
  const { tested, clock } = breaker()
  for (let n = 0; n < 20; n++) {
    expect(tested.failed('x')).toBeUndefined()
    await clock.advance(15_001)
  }
  expect(tested.broken).toBeUndefined()
})

test('open for a minute, it is half-open then: one failure opens it again, success closes it', async () => {
  const { tested, clock } = breaker()
  for (const n of [1, 2, 3, 4, 5]) tested.failed(String(n))
  await clock.advance(59_999)
  expect(tested.broken).toMatchObject({ state: 'open', cause: '5' })
  await clock.advance(1)
  expect(tested.broken).toMatchObject({ state: 'half_open' })
  expect(tested.pauseMs).toBe(0)
  expect(tested.failed('6')).toMatchObject({ state: 'open', cause: '6' })
  await clock.advance(60_000)
  expect(tested.well()).toBe(true)
  expect(tested.broken).toBeUndefined()
  expect(tested.failed('7')).toBeUndefined()
  expect(tested.pauseMs).toBe(0)
})
