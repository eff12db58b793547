import { expect, test } from 'vitest'
import { replay, summed } from './replay.ts'
import { makeWeeks } from './weeks.ts'

/** The shares were chosen with seeds 1 to 20; these weeks were not looked at. */
const judged = Array.from({ length: 10 }, (_, index) => makeWeeks(401 + index).asks)

/** Ten times three weeks. */
function replayed(how: Omit<Parameters<typeof replay>[1], 'places'>, places = 4) {
  const { asks, warm, ahead, wasted } = summed(judged.map((recorded) => replay(recorded, { places, ...how })))
  return { warm: warm / asks, wasted: ahead === 0 ? 0 : wasted / ahead }
}

test('starting what usually follows finds more warm processes than the busiest pairs, and wastes fewer starts', () => {
  for (const places of [4, 10]) {
    const chains = replayed({ prewarming: 'chains', eviction: 'lru' }, places)
    const top = replayed({ prewarming: 'top', eviction: 'lru' }, places)
    const none = replayed({ prewarming: 'none', eviction: 'lru' }, places)
    expect(chains.warm).toBeGreaterThan(top.warm)
    expect(top.warm).toBeGreaterThanOrEqual(none.warm)
    expect(chains.wasted).toBeLessThan(top.wasted)
  }
})

test('ending the process that is expected last finds more warm ones than ending the one used longest ago', () => {
  for (const prewarming of ['none', 'top', 'chains'] as const) {
    const [expected, lru] = [replayed({ prewarming, eviction: 'expected' }), replayed({ prewarming, eviction: 'lru' })]
    expect(expected.warm).toBeGreaterThan(lru.warm)
  }
})
