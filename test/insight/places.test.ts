import { expect, test } from 'vitest'
import { played, uses } from './places.ts'

/** The model and its weights were chosen with seeds 901 to 930; these were not looked at. */
const judged = Array.from({ length: 4 }, (_, index) => 2001 + index)

function starts(use: keyof typeof uses, places: number, isBalanced: boolean): number {
  return judged.reduce((sum, seed) => sum + played(uses[use](seed), { places, isBalanced }).starts, 0)
}

test.each(['conversations that never come back', 'bursts', 'night and day'] as const)(
  'with %s, load balancing starts fewer processes than ending the one used longest ago',
  (use) => {
    for (const places of [2, 4, 10]) {
      const [usual, balanced] = [starts(use, places, false), starts(use, places, true)]
      expect({ use, places, usual, balanced, isBetter: balanced < usual }).toMatchObject({ isBetter: true })
    }
  },
)

test('with conversations that are all alike, where nothing can be better, it is no worse than by one in a hundred', () => {
  for (const places of [2, 4, 10]) {
    const use = 'conversations that are all alike'
    expect(starts(use, places, true) / starts(use, places, false)).toBeLessThan(1.01)
  }
})

test('a conversation that was asked three times within a second holds no place that others need', () => {
  const minuteMs = 60_000
  const once = [0, 300, 600].map((at) => ({ at, to: 'once' }))
  // Two others, in turn, for four hours.
  const others = Array.from({ length: 48 }, (_, n) => ({ at: (n + 1) * 5 * minuteMs, to: n % 2 === 0 ? 'a' : 'b' }))
  const [usual, balanced] = [false, true].map((isBalanced) => played([...once, ...others], { places: 2, isBalanced }))
  expect(balanced).toEqual(usual)
  expect(balanced).toEqual({ starts: 3, waitedMs: 4500 })
})
