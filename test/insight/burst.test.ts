import { expect, test } from 'vitest'
import { makeBurst, waitsIn } from './burst.ts'

/** The bound of overtaking was chosen with seeds 1 to 20; these bursts were not looked at. */
function figures(places: number, asks: number, isBalanced: boolean) {
  const bursts = Array.from({ length: 10 }, (_, index) => makeBurst(501 + index, asks))
  const waits = bursts.flatMap((burst) => waitsIn(burst, places, isBalanced)).toSorted((one, other) => one - other)
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length
  return { served: waits.length, mean, p95: waits[Math.floor(0.95 * (waits.length - 1))]! }
}

test.each([
  [4, 80],
  [4, 120],
  [4, 160],
  [10, 300],
  [10, 350],
  [10, 420],
])(
  'with %i processes and %i asks in 40 minutes, load balancing shortens the waits, also the long ones',
  (places, asks) => {
    const [usual, balanced] = [figures(places, asks, false), figures(places, asks, true)]
    expect([usual.served, balanced.served]).toEqual([10 * asks, 10 * asks])
    expect(balanced.mean).toBeLessThan(usual.mean)
    expect(balanced.p95).toBeLessThan(usual.p95)
  },
)
