import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { StartRate } from './start-rate.ts'

test('nobody is refused for too many starts while one more may be started', () => {
  const clock = new FakeClock()
  const starts = new StartRate(clock, () => 2)
  starts.count()
  // A waiter may have no time left when its turn comes.
  expect(starts.restWithin(-1)).toBe(0)
  starts.count()
  expect(starts.restWithin(60_000)).toBe(60_000)
  expect(() => starts.restWithin(-1)).toThrow('2 Claude Code processes were started within the last minute')
})
