import { UsualUse } from '../../src/features/insight/usual-use.ts'
import { toEvict } from '../../src/kernel/pool/eviction.ts'
import type { RecordedAsk } from '../../src/platform/store/recording.ts'

/** How processes are started before somebody asks: not at all, the busiest pairs of each day, or what usually follows. */
export type Prewarming = 'none' | 'top' | 'chains'
/** Which idle process makes room: the one used longest ago, or the one that holds its place longest for a message. */
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
/** As long as the API keeps a prompt at most. */
const cacheMs = 3_600_000
/** As insight/pairs.ts has them; chosen with other weeks. */
const [leastTimes, leastShare] = [3, 0.3]

interface Slot {
  readonly pair: Pick<RecordedAsk, 'from' | 'to'>
  lastUsedAt: number
  isUsed: boolean
}

/** Plays recorded asks through a pool of so many processes. What is learnt is learnt from the asks before. Pure. */
export function replay(
  asks: readonly RecordedAsk[],
  { places, prewarming, eviction }: { places: number; prewarming: Prewarming; eviction: Eviction },
): Replayed {
  const pool = new Map<string, Slot>()
  const [counts, usual] = [new Map<string, number>(), new UsualUse()]
  const led = new Map<string, Map<string, number>>()
  const pairs = new Map<string, string>()
  const teamsOf = new Map<string, Pick<RecordedAsk, 'from' | 'to'>>()
  let [warm, ahead, wasted, day] = [0, 0, 0, -1]
  const makeRoom = (at: number): void => {
    if (pool.size < places) return
    const candidates = [...pool].map(([key, slot]) => ({ key, ...slot, evictable: true, cacheMs }))
    const expected = ({ pair, lastUsedAt }: Slot) =>
      usual.msPerMessage({ ...pair, thread: 'main' }, at, at - lastUsedAt)
    const leaving = toEvict(candidates, at, eviction === 'expected' ? expected : undefined)!
    pool.delete(leaving.key)
    if (!leaving.isUsed) wasted += 1
  }
  const start = (pair: string, at: number, isUsed: boolean): void => {
    if (pool.has(pair)) return
    makeRoom(at)
    pool.set(pair, { pair: teamsOf.get(pair)!, lastUsedAt: at, isUsed })
    if (!isUsed) ahead += 1
  }
  for (const { id, from, to, parent, acceptedAt: at } of asks) {
    const pair = `${from} → ${to}`
    pairs.set(id, pair)
    teamsOf.set(pair, { from, to })
    if (prewarming === 'top' && Math.floor(at / dayMs) !== day) {
      const busiest = [...counts].toSorted((one, other) => other[1] - one[1]).slice(0, places)
      for (const [each] of busiest) start(each, at, false)
    }
    day = Math.floor(at / dayMs)
    const slot = pool.get(pair)
    if (slot !== undefined) warm += 1
    else start(pair, at, true)
    Object.assign(pool.get(pair)!, { lastUsedAt: at, isUsed: true })
    usual.asked({ from, to, thread: 'main' }, at)
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
