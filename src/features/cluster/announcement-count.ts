import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { ClusterRows } from './rows/cluster.ts'

export interface AnnouncementCountParts {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'debug'>
  readonly rows: Pick<ClusterRows, 'mostCount' | 'putMostCount'>
}

/**
 * How many counts one write to the store reserves. Counts follow the clock in milliseconds, so there is one write a
 * minute.
 */
const reservedCounts = 60_000

/**
 * Counts this host's announcements. Each count is higher than all earlier ones, even with a new store or a clock that
 * was set back. A count is the time in milliseconds, or one more than the last count if that is higher.
 */
export class AnnouncementCount {
  readonly #parts: AnnouncementCountParts
  #last = 0
  /** The highest count that is reserved in the store; undefined if it has not been read yet. */
  #mostReserved: number | undefined

  constructor(parts: AnnouncementCountParts) {
    this.#parts = parts
  }

  /** Records that this host has used this count in an announcement, so that `next` returns a higher one. */
  hasUsed(count: number): void {
    this.#last = Math.max(this.#last, count)
  }

  next(): number {
    const { clock, log, rows } = this.#parts
    try {
      if (this.#mostReserved === undefined) {
        this.#mostReserved = rows.mostCount()
        this.hasUsed(this.#mostReserved)
      }
      this.#last = Math.max(this.#last, clock.now()) + 1
      if (this.#last > this.#mostReserved) {
        this.#mostReserved = this.#last + reservedCounts
        rows.putMostCount(this.#mostReserved)
      }
    } catch (error) {
      log.debug(`the count of this host's announcements could not be stored: ${String(error)}`)
      this.#last += 1
    }
    return this.#last
  }
}
