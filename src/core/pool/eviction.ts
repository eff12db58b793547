/** What eviction looks at of a process. */
export interface Candidate {
  /** Nothing runs in it and nobody has it reserved. */
  readonly evictable: boolean
  /** Monotonic milliseconds. */
  readonly lastUsedAt: number
}

interface Leaving extends Candidate {
  readonly isEnding: boolean
}

/** Who makes room: of the idle ones the least recently used. Undefined when all are busy: nobody ever dies for that. */
export function toEvict<T extends Candidate>(candidates: Iterable<T>): T | undefined {
  let oldest: T | undefined
  for (const candidate of candidates) {
    if (!candidate.evictable) continue
    if (oldest === undefined || candidate.lastUsedAt < oldest.lastUsedAt) oldest = candidate
  }
  return oldest
}

/** Who ends because there are more than `most`: an idle one, the least recently used. */
export function toShed<T extends Leaving>(candidates: Iterable<T>, most: number): T | undefined {
  const staying = [...candidates].filter(({ isEnding }) => !isEnding)
  return staying.length > most ? toEvict(staying) : undefined
}
