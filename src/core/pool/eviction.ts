/** What eviction looks at of a process. */
export interface Candidate {
  /** Nothing runs in it and nobody has it reserved. */
  readonly evictable: boolean
  /** Monotonic milliseconds. */
  readonly lastUsedAt: number
  /** For how long after that the API keeps its prompt: a resume after that, or with another prompt, pays for all of it. */
  readonly cacheMs: number
}

interface Leaving extends Candidate {
  readonly isEnding: boolean
}

/**
 * Who makes room: of the idle ones those whose prompt is cached no more, then the others; of each the least recently used.
 * Undefined when all are busy: nobody ever dies for that. `now`: monotonic milliseconds.
 */
export function toEvict<T extends Candidate>(candidates: Iterable<T>, now: number): T | undefined {
  const isCached = ({ lastUsedAt, cacheMs }: T): number => Number(now < lastUsedAt + cacheMs)
  return [...candidates]
    .filter(({ evictable }) => evictable)
    .toSorted((a, b) => isCached(a) - isCached(b) || a.lastUsedAt - b.lastUsedAt)[0]
}

/** Who ends because there are more than `most`: an idle one, the least recently used. */
export function toShed<T extends Leaving>(candidates: Iterable<T>, most: number, now: number): T | undefined {
  const staying = [...candidates].filter(({ isEnding }) => !isEnding)
  return staying.length > most ? toEvict(staying, now) : undefined
}
