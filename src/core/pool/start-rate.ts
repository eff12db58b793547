import { type Clock, pause } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

const windowMs = 60_000

/** The next start would be later than anybody waits. */
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

/** Holds the starts of processes to so many in any minute. */
export class StartRate {
  readonly #clock: Clock
  readonly #perMinute: () => number
  /** When, by the clock's `elapsed`, the oldest first. */
  readonly #starts: number[] = []

  constructor(clock: Clock, perMinute: () => number) {
    this.#clock = clock
    this.#perMinute = perMinute
  }

  /** How long until one more may be started; 0: now. */
  get restMs(): number {
    const now = this.#clock.elapsed()
    while (this.#starts.length > 0 && now - this.#starts[0]! >= windowMs) this.#starts.shift()
    const last = this.#starts.at(-this.#perMinute())
    return last === undefined ? 0 : last + windowMs - now
  }

  /** Throws TooManyStarts when it takes longer than `patienceMs`, which is below 0 when that is over already. */
  restWithin(patienceMs: number): number {
    const { restMs } = this
    if (restMs > 0 && restMs > patienceMs) throw new TooManyStarts(this.#perMinute(), restMs)
    return restMs
  }

  /** One is being started. */
  count(): void {
    this.#starts.push(this.#clock.elapsed())
  }

  /** Settles when one more may be started, or the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    for (let ms = this.restMs; ms > 0 && !signal.aborted; ms = this.restMs) await pause(this.#clock, ms, signal)
  }
}
