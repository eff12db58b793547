import type { Retries } from '../../base/agent/agent.ts'
import { type Clock, pause } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

const windowMs = 60_000

/** The message's wait would end before the next start is allowed. */
class TooManyStarts extends IrisError {
  constructor(startsPerMinute: number, retryAfterMs: number) {
    super(
      'too_many_starts',
      `${startsPerMinute} Claude Code processes were started within the last minute.`,
      `Ask again in ${Math.ceil(retryAfterMs / 1000)} s, or raise settings.startsPerMinute.`,
      { retryAfterMs },
    )
  }
}

/** Limits process starts to `perMinute` in any 60 seconds. */
export class StartRate {
  readonly #clock: Clock
  readonly #perMinute: () => number
  /** Times of starts in the clock's `elapsed` time, oldest first. */
  readonly #starts: number[] = []

  constructor(clock: Clock, perMinute: () => number) {
    this.#clock = clock
    this.#perMinute = perMinute
  }

  /** Milliseconds until the next start is allowed. 0 if one is allowed now. */
  get restMs(): number {
    const now = this.#clock.elapsed()
    while (this.#starts.length > 0 && now - this.#starts[0]! >= windowMs) this.#starts.shift()
    const last = this.#starts.at(-this.#perMinute())
    return last === undefined ? 0 : last + windowMs - now
  }

  /** Like `restMs`, but throws TooManyStarts if the wait would exceed `patienceMs`, which may be negative. */
  restWithin(patienceMs: number): number {
    const { restMs } = this
    if (restMs > 0 && restMs > patienceMs) throw new TooManyStarts(this.#perMinute(), restMs)
    return restMs
  }

  /** Counts a start. */
  count(): void {
    this.#starts.push(this.#clock.elapsed())
  }

  /** Wraps retries: each is counted like a first start, and delayed until the rate allows it. */
  counting(retries: Retries, signal: AbortSignal): Retries {
    const allowed = async (): Promise<boolean> => {
      if (!(await retries.allowed())) return false
      for (let ms = this.restMs; ms > 0 && !signal.aborted; ms = this.restMs) await pause(this.#clock, ms, signal)
      this.count()
      return !signal.aborted
    }
    return { ...retries, allowed }
  }
}
