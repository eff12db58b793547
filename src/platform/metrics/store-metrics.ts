import type { Clock } from '../../base/lib/clock.ts'
import { Histogram } from './histogram.ts'
import { RecentTimes, type TimesView } from './recent-times.ts'

const bounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

/** How long the store's operations take, as the store reports it. */
export class StoreMetrics {
  readonly #clock: Clock
  readonly #seconds = new Histogram<'operation'>(
    'iris_store_operation_seconds',
    'Duration of a store operation.',
    bounds,
  )
  readonly #series = {
    commit: this.#seconds.series({ operation: 'commit' }),
    write: this.#seconds.series({ operation: 'write' }),
    sync: this.#seconds.series({ operation: 'sync' }),
    read: this.#seconds.series({ operation: 'read' }),
  }
  readonly #commits = new RecentTimes()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.elapsed()
  }

  took(operation: 'commit' | 'write' | 'sync' | 'read', ms: number, now: number): void {
    this.#series[operation].observe(ms / 1000)
    if (operation === 'commit' || operation === 'sync') this.#commits.record(ms, now)
  }

  get recentCommits(): TimesView {
    return this.#commits.view(this.now())
  }

  get family() {
    return this.#seconds.family
  }
}
