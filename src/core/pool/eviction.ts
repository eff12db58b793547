/** The facts about a process that decide its eviction. */
export interface Candidate {
  /** Nothing runs in it, and it is not reserved. */
  readonly evictable: boolean
  /** Monotonic milliseconds. */
  readonly lastUsedAt: number
  /** How long after that the API caches its prompt, milliseconds. A later resume pays for the whole prompt. */
  readonly cacheMs: number
}

/** When a process is expected to be needed next, milliseconds since the epoch. */
export type Expectation<T> = (candidate: T) => number

interface Leaving extends Candidate {
  readonly isEnding: boolean
}

/**
 * Chooses the process to evict: idle ones whose prompt is no longer cached first, then other idle ones; within each
 * group the one that is expected to be needed last, or without `expected` the least recently used. Undefined if all are
 * busy: a busy process is never evicted. `now`: monotonic milliseconds.
 */
export function toEvict<T extends Candidate>(
  candidates: Iterable<T>,
  now: number,
  expected?: Expectation<T>,
): T | undefined {
  const isCached = ({ lastUsedAt, cacheMs }: T): number => Number(now < lastUsedAt + cacheMs)
  return [...candidates]
    .filter(({ evictable }) => evictable)
    .toSorted(
      (a, b) => isCached(a) - isCached(b) || (expected ? expected(b) - expected(a) : a.lastUsedAt - b.lastUsedAt),
    )[0]
}

/** Why `toEvict` chose this one. */
export function whyEvicted<T extends Candidate>(chosen: T, candidates: Iterable<T>): string {
  const isOldest = [...candidates].every((each) => !each.evictable || chosen.lastUsedAt <= each.lastUsedAt)
  return isOldest ? 'least recently used' : 'the prompts of those used before it are still cached'
}

/** Chooses the idle process to end if more than `most` stay; the same choice as `toEvict`. */
export function toShed<T extends Leaving>(
  candidates: Iterable<T>,
  most: number,
  now: number,
  expected?: Expectation<T>,
): T | undefined {
  const staying = [...candidates].filter(({ isEnding }) => !isEnding)
  return staying.length > most ? toEvict(staying, now, expected) : undefined
}
