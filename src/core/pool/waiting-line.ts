import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

/** All processes stayed busy for the whole queue time. Names the pairs that hold them. */
export class NoFreeProcess extends IrisError {
  constructor(holders: readonly string[], waitedMs: number) {
    super(
      'no_free_process',
      `All ${holders.length} processes stayed busy for ${waitedMs} ms: ${holders.join(', ')}.`,
      'Ask again later, or raise settings.maxProcesses.',
    )
  }
}

/** The waiters for a place, by priority, and in order of arrival. Only the first may look for one; the others sleep. */
export class WaitingLine {
  readonly #clock: Clock
  readonly #waiting: Waiter[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  newWaiter(priority = 0): Waiter {
    return new Waiter(this.#waiting, this.#clock, priority)
  }

  /** Lets the first waiter check again. */
  wakeFirst(): void {
    this.#waiting[0]?.wake()
  }

  wakeAll(): void {
    for (const waiter of [...this.#waiting]) waiter.wake()
  }
}

class Waiter {
  readonly #line: Waiter[]
  readonly #clock: Clock
  readonly #priority: number
  wake: () => void = () => {}

  constructor(line: Waiter[], clock: Clock, priority: number) {
    this.#line = line
    this.#clock = clock
    this.#priority = priority
  }

  get isFirst(): boolean {
    return this.#line[0] === this
  }

  /** Joins behind those of its priority; a waiter already in the line keeps its place. */
  join(): void {
    if (this.#line.includes(this)) return
    const before = this.#line.findIndex((other) => other.#priority < this.#priority)
    this.#line.splice(before === -1 ? this.#line.length : before, 0, this)
  }

  leave(): void {
    if (!this.#line.includes(this)) return
    this.#line.splice(this.#line.indexOf(this), 1)
    this.#line[0]?.wake()
  }

  /** Resolves true when woken or aborted, false after `ms` milliseconds. */
  sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (woken: boolean): void => {
        cancelTimer()
        signal.removeEventListener('abort', this.wake)
        resolve(woken)
      }
      this.wake = () => end(true)
      const cancelTimer = this.#clock.after(ms, () => end(false))
      signal.addEventListener('abort', this.wake)
    })
  }
}
