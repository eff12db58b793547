import type { Clock } from '../../../base/lib/clock.ts'

/** The shortest time between two flushes, in milliseconds. */
const restMs = 100

/**
 * Wakes readers at once after a pause, and otherwise at most ten times a second, so that the work per line does not
 * grow with the number of readers.
 */
export class FlushScheduler {
  readonly #clock: Clock
  readonly #onFlush: () => void
  readonly #sleepers = new Set<() => void>()
  #count = 0
  #lastAt = -restMs
  #isRising = false

  /** `onFlush` is called before the readers are woken. */
  constructor(clock: Clock, onFlush: () => void) {
    this.#clock = clock
    this.#onFlush = onFlush
  }

  get count(): number {
    return this.#count
  }

  /** Schedules a flush. It runs in a later tick, so that it delays no message. */
  rise(): void {
    if (this.#isRising) return
    this.#isRising = true
    this.#clock.after(Math.max(0, this.#lastAt + restMs - this.#clock.elapsed()), () => this.#break())
  }

  /**
   * Resolves at the first flush after the flush with the number `flush`, after `ms` milliseconds, or when the signal is
   * aborted.
   */
  after(flush: number, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#count !== flush) return resolve()
      const wake = (): void => {
        cancelTimer()
        signal.removeEventListener('abort', wake)
        this.#sleepers.delete(wake)
        resolve()
      }
      const cancelTimer = this.#clock.after(ms, wake)
      signal.addEventListener('abort', wake)
      this.#sleepers.add(wake)
    })
  }

  #break(): void {
    this.#isRising = false
    this.#lastAt = this.#clock.elapsed()
    this.#count += 1
    this.#onFlush()
    for (const wake of [...this.#sleepers]) wake()
  }
}
