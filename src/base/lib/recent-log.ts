import type { Clock } from './clock.ts'
import type { Said } from './log.ts'

export interface LogEntry extends Omit<Said, 'at'> {
  /** Counts all entries since the start, from 1. */
  readonly number: number
  /** Milliseconds since the epoch. */
  readonly timestamp: number
}

/** Keeps the newest `capacity` entries of the log for readers. */
export class RecentLog {
  readonly #clock: Clock
  readonly #capacity: number
  readonly #entries: LogEntry[] = []
  #last = 0
  /** Exists only while a reader is waiting. */
  #arrival: PromiseWithResolvers<void> | undefined

  constructor(clock: Clock, capacity = 10_000) {
    this.#clock = clock
    this.#capacity = capacity
  }

  /** The number of the newest entry; 0 before the first. */
  get last(): number {
    return this.#last
  }

  /** The number of the oldest entry kept; 1 before the first entry. */
  get first(): number {
    return Math.max(0, this.#last - this.#capacity) + 1
  }

  add({ level, context, message, ids, at = this.#clock.now() }: Said): void {
    this.#last += 1
    const entry = { number: this.#last, timestamp: at, level, context, message, ids }
    this.#entries[this.#placeOf(this.#last)] = entry
    this.#arrival?.resolve()
    this.#arrival = undefined
  }

  /** All kept entries, oldest first. */
  entries(): LogEntry[] {
    return this.after(0, this.#capacity)
  }

  /** At most `count` of the kept entries after that number, oldest first. */
  after(number: number, count: number): LogEntry[] {
    const first = Math.max(number + 1, this.first)
    const length = Math.max(0, Math.min(count, this.#last - first + 1))
    return Array.from({ length }, (_, index) => this.#entries[this.#placeOf(first + index)]!)
  }

  /** Resolves at the next entry. */
  arrival(): Promise<void> {
    this.#arrival ??= Promise.withResolvers()
    return this.#arrival.promise
  }

  #placeOf(number: number): number {
    return (number - 1) % this.#capacity
  }
}
