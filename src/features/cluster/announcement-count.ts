import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { ClusterRows } from './rows/cluster.ts'

export interface AnnouncementCountParts {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'debug'>
  readonly rows: Pick<ClusterRows, 'mostCount' | 'putMostCount'>
}

/** How many counts are reserved in the store at once: one write a minute. */
const reserved = 60_000

/** Counts this host's announcements: never less than before, also with a new store or a clock that was set back. */
export class AnnouncementCount {
  readonly #parts: AnnouncementCountParts
  #last = 0
  #most: number | undefined

  constructor(parts: AnnouncementCountParts) {
    this.#parts = parts
  }

  /** This host has announced itself with that count. */
  hasUsed(count: number): void {
    this.#last = Math.max(this.#last, count)
  }

  next(): number {
    const { clock, log, rows } = this.#parts
    try {
      if (this.#most === undefined) this.hasUsed((this.#most = rows.mostCount()))
      this.#last = Math.max(this.#last, clock.now()) + 1
      if (this.#last > this.#most) rows.putMostCount((this.#most = this.#last + reserved))
    } catch (error) {
      log.debug(`the count of this host's announcements could not be kept: ${String(error)}`)
      this.#last += 1
    }
    return this.#last
  }
}
