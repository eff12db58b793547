/** After this many different events failed in a row, only one event is tried at a time. */
const mostFailures = 5
/** The pause between tries then, milliseconds: it doubles from the first value to the second. */
const [leastRestMs, mostRestMs] = [1000, 30_000]
/** Before an event is tried again, milliseconds: three times as long after each try. */
const [firstPauseMs, mostPauseMs] = [5000, 6 * 3_600_000]
/** After this an event is given up, milliseconds. */
const triedMs = 3 * 86_400_000

/** When a callback is posted to again. Times are milliseconds since the epoch. */
export class Pace {
  readonly #random: () => number
  /** The events that failed since the last one was taken. One that nobody could take counts once. */
  readonly #failing = new Set<number>()
  #restMs = leastRestMs
  #notBefore = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** One event is tried at a time. */
  get isSlow(): boolean {
    return this.#failing.size >= mostFailures
  }

  get notBefore(): number {
    return this.#notBefore
  }

  /** When an event that is due at that time is tried; undefined: at once, or never (null). */
  waitsUntil(due: number | null, now: number): number | undefined {
    const at = due === null ? 0 : Math.round(Math.max(due, this.#notBefore))
    return at > now ? at : undefined
  }

  mayTry(now: number): boolean {
    // A clock that was set back must not hold it up.
    return now >= this.#notBefore || this.#notBefore - now > 2 * mostRestMs
  }

  /** An event was taken, or another address is in force. */
  reset(): void {
    this.#failing.clear()
    this.#restMs = leastRestMs
    this.#notBefore = 0
  }

  failed(sequence: number, now: number): void {
    this.#failing.add(sequence)
    if (this.isSlow) this.rest(now)
  }

  /** Nothing is tried for a while. */
  rest(now: number): void {
    this.#notBefore = now + this.#varied(this.#restMs)
    this.#restMs = Math.min(2 * this.#restMs, mostRestMs)
  }

  /** When an event is tried again; undefined: never. `notBefore`: what its endpoint asked for. */
  nextTry(of: { tries: number; failedAt: number; now: number; notBefore: number | undefined }): number | undefined {
    const { tries, failedAt, now, notBefore = 0 } = of
    if (now - failedAt >= triedMs) return undefined
    const pauseMs = Math.min(firstPauseMs * 3 ** (tries - 1), mostPauseMs)
    return Math.round(Math.max(now + this.#varied(pauseMs), notBefore))
  }

  /** Between 4/5 and 6/5, so that events that failed together are not all retried together. */
  #varied(ms: number): number {
    return ms * (0.8 + 0.4 * this.#random())
  }
}
