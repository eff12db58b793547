/** Something to be written. It is rendered when its turn comes, off the path of who adds it. */
export interface Entry {
  /** About what it holds in memory. */
  readonly bytes: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Is left out first when the disk does not keep up. */
  readonly isExpendable: boolean
  render(): string
}

/** What may wait in memory, for all backlogs together. */
export class Budget {
  readonly #limitBytes: number
  /** Those whose disk refuses. */
  readonly failing = new Set<{ giveUp(): void }>()
  waitingBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** From half of it on, expendable entries are left out, and what waits for a disk that refuses; at the limit, all. */
  hasRoomFor(entry: Entry): boolean {
    const half = this.#limitBytes / 2
    if (this.waitingBytes <= half) return true
    for (const backlog of this.failing) backlog.giveUp()
    return this.waitingBytes <= (entry.isExpendable ? half : this.#limitBytes)
  }
}
