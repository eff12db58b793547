/** The facts about a process that decide its eviction. */
export interface Candidate {
  /** Nothing runs in it, and it is not reserved. */
  readonly evictable: boolean
  /** Monotonic milliseconds. */
  readonly lastUsedAt: number
  /**
   * How long after its last use the API caches the process's prompt, milliseconds. A conversation that is resumed after
   * that pays for the whole prompt.
   */
  readonly cacheMs: number
}

/** The cost of keeping a process: `UsualTimes.msPerMessage` in session/seams.ts. */
export type Expectation<T> = (candidate: T) => number

/**
 * An estimate is preferred to the order of use only if it is larger by this factor. Smaller differences are within the
 * estimate's error.
 */
const clearly = 1.5

interface Leaving extends Candidate {
  readonly isEnding: boolean
}

/**
 * Chooses the process to evict: idle ones whose prompt is no longer cached first, then other idle ones; within each
 * group the least recently used, or with `expected` the one whose next message is clearly the furthest away. Undefined
 * if all processes are busy: a busy process is never evicted. `now`: monotonic milliseconds.
 */
export function toEvict<T extends Candidate>(
  candidates: Iterable<T>,
  now: number,
  expected?: Expectation<T>,
): T | undefined {
  const isCached = ({ lastUsedAt, cacheMs }: T): number => Number(now < lastUsedAt + cacheMs)
  const [oldest, ...others] = [...candidates]
    .filter(({ evictable }) => evictable)
    .toSorted((a, b) => isCached(a) - isCached(b) || a.lastUsedAt - b.lastUsedAt)
  if (oldest === undefined || expected === undefined) return oldest
  let [chosen, most] = [oldest, clearly * expected(oldest)]
  for (const each of others) {
    if (isCached(each) !== isCached(oldest)) continue
    const held = expected(each)
    if (held > most) [chosen, most] = [each, held]
  }
  return chosen
}

/** Why `toEvict` chose this process. */
export function whyEvicted<T extends Candidate>(chosen: T, candidates: Iterable<T>): string {
  const isOldest = [...candidates].every((each) => !each.evictable || chosen.lastUsedAt <= each.lastUsedAt)
  return isOldest ? 'least recently used' : 'the prompts of those used before it are still cached'
}

/** Chooses the idle process to end if there are more than `most` processes, by the same rules as `toEvict`. */
export function toShed<T extends Leaving>(
  candidates: Iterable<T>,
  most: number,
  now: number,
  expected?: Expectation<T>,
): T | undefined {
  const staying = [...candidates].filter(({ isEnding }) => !isEnding)
  return staying.length > most ? toEvict(staying, now, expected) : undefined
}
