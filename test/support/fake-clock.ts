import type { Clock } from '../../src/base/lib/clock.ts'

interface Timer {
  readonly due: number
  readonly run: () => void
}

/** Time that stands still until the test moves it. */
export class FakeClock implements Clock {
  readonly machine = this
  readonly #timers = new Set<Timer>()
  #elapsed = 0

  now(): number {
    return this.#elapsed
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(ms: number, run: () => void): () => void {
    const timer = { due: this.#elapsed + ms, run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Timers that are set and not taken back. */
  get pending(): number {
    return this.#timers.size
  }

  /** How long until the next one goes off. */
  get next(): number | undefined {
    const [first] = [...this.#timers].map(({ due }) => due).toSorted((a, b) => a - b)
    return first === undefined ? undefined : first - this.#elapsed
  }

  /** Runs what falls due, in its order; what one of them sets or settles counts before the next. */
  async advance(ms: number): Promise<void> {
    const until = this.#elapsed + ms
    await microtasks()
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#elapsed = next.due
      this.#timers.delete(next)
      next.run()
      await microtasks()
    }
    this.#elapsed = until
  }

  #next(until: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.due <= until)
    return due.toSorted((a, b) => a.due - b.due)[0]
  }
}

/** All that are waiting now, and those that they make. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
