/** What eviction looks at of a process. */
export interface Candidate {
  /** Nothing runs in it and nobody has it reserved. */
  readonly evictable: boolean
  /** Monotonic milliseconds. */
  readonly lastUsedAt: number
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
