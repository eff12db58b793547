import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

/** This many failures within `windowMs` open a breaker, which stays open for `openMs`. */
const failuresToOpen = 5
const windowMs = 60_000
const openMs = 60_000
const firstPauseMs = 1000

/** Why a session's process is not started, and until when. */
export interface Broken {
  readonly state: 'open' | 'half_open'
  /** How the latest process ended, with the last lines of its stderr. */
  readonly cause: string
  /** Milliseconds since the epoch. */
  readonly retryAt: number
}

/** The session's process kept failing; the next start is possible at `retryAt`. */
export class BreakerOpen extends IrisError {
  constructor(team: string, { cause, retryAt }: Broken, retryAfterMs: number) {
    super(
      'breaker_open',
      `Claude Code for team "${team}" failed ${failuresToOpen} times within a minute. Iris will not start another for ${Math.ceil(retryAfterMs / 1000)} s, until ${new Date(retryAt).toISOString()}. The last time: ${cause}`,
      'Run claude there by hand to find the cause, fix it, then ask again after that time.',
      { retryAfterMs },
    )
  }
}

/**
 * Counts failures of one session's process: failed starts, and processes that exited by themselves. The fifth failure
 * within a minute opens the breaker. A minute later the breaker is half-open: one start is tried, which closes or
 * reopens it. While the breaker is closed, the pauses between starts grow until a process works.
 */
export class Breaker {
  readonly #clock: Clock
  readonly #random: () => number
  /** Times of failures, in the clock's `elapsed` time. */
  #failures: number[] = []
  #wellAt = Number.NEGATIVE_INFINITY
  #startAt = Number.NEGATIVE_INFINITY
  #open: Omit<Broken, 'state'> | undefined
  #total = 0

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Undefined while the breaker is closed. */
  get broken(): Broken | undefined {
    return this.#open && { state: this.pauseMs > 0 ? 'open' : 'half_open', ...this.#open }
  }

  /** The number of failures since the breaker was created. */
  get total(): number {
    return this.#total
  }

  /** How long to wait before the next start, milliseconds. */
  get pauseMs(): number {
    return Math.max(0, this.#startAt - this.#clock.elapsed())
  }

  /** Returns the breaker's state if this failure opened it. */
  failed(cause: string): Broken | undefined {
    const now = this.#clock.elapsed()
    this.#total += 1
    this.#failures = [...this.#failures.filter((at) => now - at < windowMs), now]
    if (this.#open === undefined && this.#failures.length < failuresToOpen) {
      this.#startAt = now + this.#pauseAfter(this.#failures.filter((at) => at > this.#wellAt).length)
      return undefined
    }
    this.#startAt = now + openMs
    this.#open = { cause, retryAt: this.#clock.now() + openMs }
    return this.broken
  }

  /** Call this when the process has worked. Returns whether that closed the breaker. */
  well(): boolean {
    this.#wellAt = this.#clock.elapsed()
    this.#startAt = this.#wellAt
    if (this.#open === undefined) return false
    this.#open = undefined
    this.#failures = []
    return true
  }

  /**
   * No pause after the first failure of a process that had worked. From the second failure on, the pauses double; each
   * is shortened at random by up to half, so that not all processes start at once.
   */
  #pauseAfter(failures: number): number {
    return failures < 2 ? 0 : firstPauseMs * 2 ** (failures - 2) * (1 - this.#random() / 2)
  }
}
