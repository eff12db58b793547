import { expect, test } from 'vitest'
import { RecentTimes } from './recent-times.ts'

test('what was measured counts for one to two minutes, and no longer', () => {
  const times = new RecentTimes()
  expect(times.view(0)).toEqual({ count: 0, p50Ms: null, p99Ms: null, maxMs: null })
  for (const ms of [1, 2, 300]) times.record(ms, 1000)
  const { count, p50Ms, maxMs } = times.view(2000)
  expect(count).toBe(3)
  expect(p50Ms).toBeCloseTo(2, 1)
  expect(maxMs).toBeCloseTo(300, 0)
  times.record(5, 61_500)
  expect(times.view(61_500).count).toBe(4)
  expect(times.view(121_600)).toMatchObject({ count: 1 })
  expect(times.view(300_000).count).toBe(0)
})
