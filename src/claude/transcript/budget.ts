/** Something to write. It is rendered only when it is written, so that adding it is cheap. */
export interface Entry {
  /** Its approximate size in memory. */
  readonly bytes: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Whether the entry is among the first to be left out if the disk is too slow. */
  readonly isExpendable: boolean
  render(): string
}

/** Limits the bytes that wait in memory, for all backlogs together. */
export class Budget {
  readonly #limitBytes: number
  /** The backlogs whose last write failed. */
  readonly failing = new Set<{ giveUp(): void }>()
  waitingBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /**
   * Above half of the limit, failing backlogs drop their entries and expendable entries have no room. Above the limit,
   * no entry has room.
   */
  hasRoomFor(entry: Entry): boolean {
    const half = this.#limitBytes / 2
    if (this.waitingBytes <= half) return true
    for (const backlog of this.failing) backlog.giveUp()
    return this.waitingBytes <= (entry.isExpendable ? half : this.#limitBytes)
  }
}
