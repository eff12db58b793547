import type { Clock } from './clock.ts'
import type { Said } from './log.ts'

export interface LogEntry extends Said {
  /** Milliseconds since the epoch. */
  readonly timestamp: number
}

/** The newest entries of the log, for readers: so many and no more. */
export class LogRing {
  readonly #clock: Clock
  readonly #capacity: number
  readonly #entries: LogEntry[] = []
  /** Where the oldest stands once the ring is full. */
  #oldest = 0

  constructor(clock: Clock, capacity = 10_000) {
    this.#clock = clock
    this.#capacity = capacity
  }

  add(said: Said): void {
    const entry = { ...said, timestamp: this.#clock.now() }
    if (this.#entries.length < this.#capacity) {
      this.#entries.push(entry)
      return
    }
    this.#entries[this.#oldest] = entry
    this.#oldest = (this.#oldest + 1) % this.#capacity
  }

  /** The oldest first. */
  entries(): LogEntry[] {
    return [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)]
  }
}
