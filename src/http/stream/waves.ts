import type { Clock } from '../../lib/clock.ts'

/** Between two waves. */
const restMs = 100

/**
 * Wakes readers in waves: after a rest at once, then ten times a second at most. A hundred people who look on cost what
 * they are sent then, and not once more for each line of each process.
 */
export class Waves {
  readonly #clock: Clock
  readonly #onWave: () => void
  readonly #sleepers = new Set<() => void>()
  #count = 0
  #lastAt = -restMs
  #isRising = false

  /** `onWave` is called before the readers are woken. */
  constructor(clock: Clock, onWave: () => void) {
    this.#clock = clock
    this.#onWave = onWave
  }

  get count(): number {
    return this.#count
  }

  /** There is something to tell. Never told at once: what happens to a message goes on first. */
  rise(): void {
    if (this.#isRising) return
    this.#isRising = true
    this.#clock.after(Math.max(0, this.#lastAt + restMs - this.#clock.elapsed()), () => this.#break())
  }

  /** Settles at the first wave after that one, after `ms`, or when the signal is aborted. */
  after(wave: number, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#count !== wave) return resolve()
      const wake = (): void => {
        takeBack()
        signal.removeEventListener('abort', wake)
        this.#sleepers.delete(wake)
        resolve()
      }
      const takeBack = this.#clock.after(ms, wake)
      signal.addEventListener('abort', wake)
      this.#sleepers.add(wake)
    })
  }

  #break(): void {
    this.#isRising = false
    this.#lastAt = this.#clock.elapsed()
    this.#count += 1
    this.#onWave()
    for (const wake of [...this.#sleepers]) wake()
  }
}
