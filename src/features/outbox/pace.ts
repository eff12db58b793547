/** After this many different events failed in a row, only one event is tried at a time. */
const mostFailures = 5
/** The pause between these tries, milliseconds: it doubles from the first value to the second. */
const [leastRestMs, mostRestMs] = [1000, 30_000]
/** The pause before an event is tried again, milliseconds: it triples after each try, up to the second value. */
const [firstPauseMs, mostPauseMs] = [5000, 6 * 3_600_000]
/** After this time Iris gives up on an event, milliseconds. */
const triedMs = 3 * 86_400_000

/** When a callback is posted to again. Times are milliseconds since the epoch. */
export class Pace {
  readonly #random: () => number
  /** The events that have failed since an event was last taken. An event that can never be taken counts only once. */
  readonly #failing = new Set<number>()
  #restMs = leastRestMs
  #notBefore = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** Whether only one event is tried at a time. */
  get isSlow(): boolean {
    return this.#failing.size >= mostFailures
  }

  get notBefore(): number {
    return this.#notBefore
  }

  /**
   * Until when an event that is due at `due` has to wait. Undefined if it need not wait, or if it is never tried (`due`
   * is null).
   */
  waitsUntil(due: number | null, now: number): number | undefined {
    const at = due === null ? 0 : Math.round(Math.max(due, this.#notBefore))
    return at > now ? at : undefined
  }

  mayTry(now: number): boolean {
    // A clock that was set back must not delay the next try.
    return now >= this.#notBefore || this.#notBefore - now > 2 * mostRestMs
  }

  /** Called when an event was taken, or when another address is in force. */
  reset(): void {
    this.#failing.clear()
    this.#restMs = leastRestMs
    this.#notBefore = 0
  }

  failed(sequence: number, now: number): void {
    this.#failing.add(sequence)
    if (this.isSlow) this.rest(now)
  }

  /** Pauses all tries for a while. */
  rest(now: number): void {
    this.#notBefore = now + this.#varied(this.#restMs)
    this.#restMs = Math.min(2 * this.#restMs, mostRestMs)
  }

  /** When an event is tried again; undefined if never. `notBefore`: the earliest time that its endpoint asked for. */
  nextTry(of: { tries: number; failedAt: number; now: number; notBefore: number | undefined }): number | undefined {
    const { tries, failedAt, now, notBefore = 0 } = of
    if (now - failedAt >= triedMs) return undefined
    const pauseMs = Math.min(firstPauseMs * 3 ** (tries - 1), mostPauseMs)
    return Math.round(Math.max(now + this.#varied(pauseMs), notBefore))
  }

  /**
   * Multiplies by a random factor between 4/5 and 6/5, so that events that failed together are not all retried
   * together.
   */
  #varied(ms: number): number {
    return ms * (0.8 + 0.4 * this.#random())
  }
}
