import type { Pair } from '../../src/base/protocol/pair.ts'
import { UsualUse } from '../../src/features/insight/usual-use.ts'
import { toEvict } from '../../src/kernel/pool/eviction.ts'
import { picker } from '../property/random.ts'

interface Ask {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly to: string
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const began = 1_790_000_000_000
const startMs = 1500

/** Days of asks as one kind of use makes them; the same seed makes the same ones. Not in order. */
export const uses = {
  /** Conversations that are asked at their own pace, and new ones that are asked three times within a second and never again. */
  'conversations that never come back': (seed: number) => {
    const { share, after } = chance(seed)
    const asks: Ask[] = []
    for (let n = 0; n < 8; n++) {
      const gap = (10 + 50 * share()) * minuteMs
      for (let at = gap * share(); at < 2 * dayMs; at += gap * (0.7 + 0.6 * share()))
        asks.push({ at, to: `steady${n}` })
    }
    let count = 0
    for (let at = after(20 * minuteMs); at < 2 * dayMs; at += after(20 * minuteMs)) {
      for (const later of [0, 300, 600]) asks.push({ at: at + later, to: `once${count}` })
      count += 1
    }
    return asks
  },
  /** Each conversation has bursts of its own length, at its own pace. */
  bursts: (seed: number) => {
    const { share, after } = chance(seed)
    const asks: Ask[] = []
    for (let n = 0; n < 20; n++) {
      const [every, most, gap] = [0.5 * 24 ** share() * hourMs, 1 + 10 * share(), (0.5 + 5 * share()) * minuteMs]
      for (let burst = after(every); burst < 4 * dayMs; burst += after(every)) {
        let at = burst
        for (let left = 1 + Math.floor(most * share()); left > 0; left -= 1) {
          asks.push({ at, to: `bursts${n}` })
          at += after(gap)
        }
      }
    }
    return asks
  },
  /** Three in four are asked by day, the others by night. */
  'night and day': (seed: number) => {
    const { share, after } = chance(seed)
    const asks: Ask[] = []
    for (let n = 0; n < 20; n++) {
      const gap = (5 + 60 * share()) * minuteMs
      for (let at = 0; at < 5 * dayMs; at += after(gap)) {
        const hour = (at % dayMs) / hourMs
        const isDay = hour >= 8 && hour < 18
        if (isDay !== (n % 4 === 0)) asks.push({ at, to: `shift${n}` })
      }
    }
    return asks
  },
  /** Conversations that differ in nothing: the order of last use is the best that there is. */
  'conversations that are all alike': (seed: number) => {
    const { share, after } = chance(seed)
    const asks: Ask[] = []
    for (let n = 0; n < 20; n++) {
      for (let burst = after(4 * hourMs); burst < 4 * dayMs; burst += after(4 * hourMs)) {
        let at = burst
        for (let left = 1 + Math.floor(8 * share()); left > 0; left -= 1) {
          asks.push({ at, to: `alike${n}` })
          at += after(3 * minuteMs)
        }
      }
    }
    return asks
  },
} as const satisfies Record<string, (seed: number) => Ask[]>

/** How often a process had to be started, and how long the asks waited for that. Pure. */
export function played(
  asks: readonly Ask[],
  { places, isBalanced }: { readonly places: number; readonly isBalanced: boolean },
): { readonly starts: number; readonly waitedMs: number } {
  const usual = new UsualUse()
  const pool = new Map<string, number>()
  const pairOf = (to: string): Pair => ({ from: 'frontend', to, thread: 'main' })
  let starts = 0
  for (const ask of asks.toSorted((one, other) => one.at - other.at)) {
    const at = began + ask.at
    if (!pool.has(ask.to)) {
      starts += 1
      const idle = [...pool].map(([to, lastUsedAt]) => ({ to, lastUsedAt, evictable: true, cacheMs: hourMs }))
      const held = ({ to, lastUsedAt }: (typeof idle)[number]) => usual.msPerMessage(pairOf(to), at, at - lastUsedAt)
      if (pool.size >= places) pool.delete(toEvict(idle, at, isBalanced ? held : undefined)!.to)
    }
    pool.set(ask.to, at)
    usual.asked(pairOf(ask.to), at)
  }
  return { starts, waitedMs: starts * startMs }
}

function chance(seed: number) {
  const pick = picker(seed)
  const share = (): number => (pick(1_000_000) + 1) / 1_000_000
  return {
    share,
    /** Of something that comes at any time: so long after the last one, on average `mean`. */
    after: (mean: number): number => -Math.log(share()) * mean,
  }
}
