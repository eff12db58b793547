import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

interface CallLimitParts {
  readonly clock: Clock
  /** `settings.callsPerMinute`, read at each call. */
  readonly perMinute: () => number
}

const minuteMs = 60_000
/** Above this number of buckets, those that are full again are dropped. */
const bucketsKept = 1000

interface Bucket {
  /** Calls that may be made at once. */
  left: number
  at: number
}

/** Limits how often callers call: one token bucket for each credential and for each session of an agent. */
export class CallLimit {
  readonly #parts: CallLimitParts
  readonly #buckets = new Map<string, Bucket>()

  constructor(parts: CallLimitParts) {
    this.#parts = parts
  }

  /** Counts a call in the bucket `key`. Throws `too_many_calls`. */
  take(key: string): void {
    const { clock, perMinute } = this.#parts
    const most = perMinute()
    const now = clock.elapsed()
    const { left, at } = this.#buckets.get(key) ?? { left: most, at: now }
    const filled = Math.min(most, left + ((now - at) * most) / minuteMs)
    if (filled < 1) throw tooMany(most, ((1 - filled) * minuteMs) / most)
    if (this.#buckets.size > bucketsKept) this.#forget(now)
    this.#buckets.set(key, { left: filled - 1, at: now })
  }

  #forget(now: number): void {
    for (const [key, { at }] of this.#buckets) if (now - at >= minuteMs) this.#buckets.delete(key)
  }
}

function tooMany(perMinute: number, retryAfterMs: number): IrisError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new IrisError(
    'too_many_calls',
    `More than ${perMinute} calls a minute came over this connection's credential.`,
    `Try again in ${seconds} s, or raise settings.callsPerMinute.`,
    { retryAfterMs: Math.ceil(retryAfterMs) },
  )
}
