import type { RecordedAsk } from '../../src/platform/store/recording.ts'

/** How processes are started before somebody asks: not at all, the busiest pairs of each day, or what usually follows. */
export type Prewarming = 'none' | 'top' | 'chains'
/** Which idle process makes room: the one used longest ago, or the one that is expected last. */
export type Eviction = 'lru' | 'expected'

export interface Replayed {
  readonly asks: number
  /** Asks that found a process of their pair. */
  readonly warm: number
  /** Starts ahead of an ask, and those of them that nobody used. */
  readonly ahead: number
  readonly wasted: number
}

const dayMs = 86_400_000
/** As insight/pairs.ts has them; chosen with other weeks. */
const [leastTimes, leastShare] = [3, 0.3]

interface Slot {
  usedAt: number
  isUsed: boolean
}

/** Plays recorded asks through a pool of so many processes. What is learnt is learnt from the asks before. Pure. */
export function replay(
  asks: readonly RecordedAsk[],
  { places, prewarming, eviction }: { places: number; prewarming: Prewarming; eviction: Eviction },
): Replayed {
  const pool = new Map<string, Slot>()
  const [counts, gaps, lastAt] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const led = new Map<string, Map<string, number>>()
  const pairs = new Map<string, string>()
  let [warm, ahead, wasted, day] = [0, 0, 0, -1]
  const expectedAt = (pair: string): number => (lastAt.get(pair) ?? 0) + (gaps.get(pair) ?? 7 * dayMs)
  const makeRoom = (): void => {
    if (pool.size < places) return
    const order =
      eviction === 'lru' ? ([, slot]: [string, Slot]) => -slot.usedAt : ([pair]: [string, Slot]) => expectedAt(pair)
    const [leaving, slot] = [...pool].reduce((one, other) => (order(other) > order(one) ? other : one))
    pool.delete(leaving)
    if (!slot.isUsed) wasted += 1
  }
  const start = (pair: string, at: number, isUsed: boolean): void => {
    if (pool.has(pair)) return
    makeRoom()
    pool.set(pair, { usedAt: at, isUsed })
    if (!isUsed) ahead += 1
  }
  for (const { id, from, to, parent, acceptedAt: at } of asks) {
    const pair = `${from} → ${to}`
    pairs.set(id, pair)
    if (prewarming === 'top' && Math.floor(at / dayMs) !== day) {
      const busiest = [...counts].toSorted((one, other) => other[1] - one[1]).slice(0, places)
      for (const [each] of busiest) start(each, at, false)
    }
    day = Math.floor(at / dayMs)
    const slot = pool.get(pair)
    if (slot !== undefined) warm += 1
    else start(pair, at, true)
    Object.assign(pool.get(pair)!, { usedAt: at, isUsed: true })
    const before = lastAt.get(pair)
    if (before !== undefined) gaps.set(pair, 0.7 * (gaps.get(pair) ?? at - before) + 0.3 * (at - before))
    lastAt.set(pair, at)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
    const asker = parent === null ? undefined : pairs.get(parent)
    if (asker !== undefined) {
      const next = led.get(asker) ?? new Map<string, number>()
      led.set(asker, next.set(pair, (next.get(pair) ?? 0) + 1))
    }
    if (prewarming !== 'chains') continue
    for (const [next, times] of led.get(pair) ?? []) {
      if (times >= leastTimes && times / counts.get(pair)! >= leastShare) start(next, at, false)
    }
  }
  for (const { isUsed } of pool.values()) if (!isUsed) wasted += 1
  return { asks: asks.length, warm, ahead, wasted }
}

/** The sum over several recordings. */
export function summed(all: readonly Replayed[]): Replayed {
  const sum = (of: (each: Replayed) => number): number => all.reduce((total, each) => total + of(each), 0)
  return {
    asks: sum((r) => r.asks),
    warm: sum((r) => r.warm),
    ahead: sum((r) => r.ahead),
    wasted: sum((r) => r.wasted),
  }
}
