import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

interface CallLimitParts {
  readonly clock: Clock
  /** Returns `settings.callsPerMinute`. Called for each call. */
  readonly perMinute: () => number
}

const minuteMs = 60_000
/** If there are more buckets than this, those that are full again are dropped. */
const bucketsKept = 1000

/**
 * How many calls of one credential, or of one agent's session, may be open at the same time. Each uses memory and
 * timers.
 */
const maxOpen = 2000

interface Bucket {
  /** Calls that can be made right now. */
  left: number
  /** When `left` was counted, monotonic milliseconds. */
  at: number
}

/** Limits how often callers call, and how many calls they have open, for each key of `countedAs`. */
export class CallLimit {
  readonly #parts: CallLimitParts
  readonly #buckets = new Map<string, Bucket>()
  readonly #open = new Map<string, number>()

  constructor(parts: CallLimitParts) {
    this.#parts = parts
  }

  /**
   * Counts a call in the bucket `key`. If `own` is below the general limit, the bucket allows only `own` calls a
   * minute. Throws `too_many_calls`.
   */
  take(key: string, own = Infinity): void {
    const now = this.#parts.clock.elapsed()
    const { limit, left } = this.#leftIn(key, own, now)
    if (left < 1) throw tooMany(limit, ((1 - left) * minuteMs) / limit)
    if (this.#buckets.size > bucketsKept) this.#forget(now)
    this.#buckets.set(key, { left: left - 1, at: now })
  }

  /**
   * The state of the bucket `key`, without counting a call: calls a minute, calls left now, and milliseconds until it
   * is full.
   */
  standing(key: string, own = Infinity): { readonly limit: number; readonly left: number; readonly fullInMs: number } {
    const { limit, left } = this.#leftIn(key, own, this.#parts.clock.elapsed())
    return { limit, left: Math.floor(left), fullInMs: ((limit - left) * minuteMs) / limit }
  }

  /**
   * Calls a minute, and calls left at `now`. The number of calls left may be a fraction, because a bucket fills evenly
   * within a minute.
   */
  #leftIn(key: string, own: number, now: number): { readonly limit: number; readonly left: number } {
    const limit = Math.min(own, this.#parts.perMinute())
    const { left, at } = this.#buckets.get(key) ?? { left: limit, at: now }
    return { limit, left: Math.min(limit, left + ((now - at) * limit) / minuteMs) }
  }

  /**
   * Counts a call as `take` does. The call also counts as open until the returned function is called. Throws
   * `too_many_calls`.
   */
  enter(key: string, own?: number): () => void {
    const open = this.#open.get(key) ?? 0
    if (open >= maxOpen) throw tooManyOpen()
    this.take(key, own)
    this.#open.set(key, open + 1)
    return () => {
      const left = this.#open.get(key)! - 1
      if (left === 0) this.#open.delete(key)
      else this.#open.set(key, left)
    }
  }

  #forget(now: number): void {
    for (const [key, { at }] of this.#buckets) if (now - at >= minuteMs) this.#buckets.delete(key)
  }
}

function tooManyOpen(): IrisError {
  const what = `${maxOpen} calls with this connection's credential are still waiting for answers.`
  return new IrisError('too_many_calls', what, 'Wait until some are answered, or send messages with timeout -1.')
}

function tooMany(perMinute: number, retryAfterMs: number): IrisError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new IrisError(
    'too_many_calls',
    `This connection's credential made more than ${perMinute} calls in a minute.`,
    `Try again in ${seconds} s, or raise settings.callsPerMinute.`,
    { retryAfterMs: Math.ceil(retryAfterMs) },
  )
}
