import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

/** So many failures within this time open it, and so long it stays open. */
const failuresToOpen = 5
const windowMs = 60_000
const openMs = 60_000
const firstPauseMs = 1000

/** For people: why a session's process is not started any more, and until when. */
export interface Broken {
  readonly state: 'open' | 'half_open'
  /** How the last one ended, with the last lines of its stderr. */
  readonly cause: string
  /** Milliseconds since the epoch. */
  readonly retryAt: number
}

/** A session's process failed again and again: it is started again at `retryAt` at the earliest. */
export class BreakerOpen extends IrisError {
  constructor(team: string, { cause, retryAt }: Broken, retryAfterMs: number) {
    super(
      'breaker_open',
      `Claude Code for team "${team}" failed ${failuresToOpen} times within a minute and is left alone for ${Math.ceil(retryAfterMs / 1000)} s, until ${new Date(retryAt).toISOString()}. The last time: ${cause}`,
      'Correct the cause (run claude there by hand to see it), then ask again after that time.',
      { retryAfterMs },
    )
  }
}

/**
 * Counts how often the process of one session failed: starts that failed, and processes that died by themselves. The
 * fifth within a minute opens it; a minute later one start may try (half-open), and closes or opens it again. Before
 * that it puts a growing pause between the starts of a process that never becomes well.
 */
export class Breaker {
  readonly #clock: Clock
  readonly #random: () => number
  /** When, by the clock's `elapsed`. */
  #failures: number[] = []
  #wellAt = Number.NEGATIVE_INFINITY
  #startAt = Number.NEGATIVE_INFINITY
  #open: Omit<Broken, 'state'> | undefined
  #total = 0

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Undefined while it is closed. */
  get broken(): Broken | undefined {
    return this.#open && { state: this.pauseMs > 0 ? 'open' : 'half_open', ...this.#open }
  }

  /** How often it failed at all. */
  get total(): number {
    return this.#total
  }

  /** How long no process may be started. */
  get pauseMs(): number {
    return Math.max(0, this.#startAt - this.#clock.elapsed())
  }

  /** Returns how it stands when that opened it. */
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

  /** Its process has shown that it works. Returns whether that closed it. */
  well(): boolean {
    this.#wellAt = this.#clock.elapsed()
    this.#startAt = this.#wellAt
    if (this.#open === undefined) return false
    this.#open = undefined
    this.#failures = []
    return true
  }

  /** None after a healthy life; then doubling, with up to half of it left out, so that many do not start as one. */
  #pauseAfter(failures: number): number {
    return failures < 2 ? 0 : firstPauseMs * 2 ** (failures - 2) * (1 - this.#random() / 2)
  }
}
