import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { Counter } from './counter.ts'
import { EventLoopDelay } from './event-loop.ts'
import { EventMetrics } from './event-metrics.ts'
import { StoreMetrics } from './store-metrics.ts'

export type HealthCheck = Extract<PublishedEvent, { type: 'health-check' }>['status'] & {
  /** Milliseconds since the epoch. */
  readonly at: number
}

const checksKept = 20

/** The daemon's own health and metrics. */
export class Vitals {
  readonly startedAt: number
  readonly #clock: Clock
  readonly #began: number
  /** Set by the daemon. Iris accepts messages while `serving`. */
  phase: 'recovering' | 'serving' | 'stopping' = 'recovering'
  readonly events: EventMetrics
  readonly store: StoreMetrics
  readonly eventLoop = new EventLoopDelay()
  /** Calls to operations through all adapters. */
  readonly calls = new Counter<'operation' | 'caller' | 'result'>(
    'iris_calls_total',
    'Operations called over HTTP and MCP, by result: ok, or the code of the refusal.',
  )
  /** Errors in features that did not stop anything else. */
  readonly featureFaults = new Counter<'feature' | 'step'>(
    'iris_feature_faults_total',
    'Errors in features after which Iris continued without the feature.',
  )
  /** The number of open streams of events. */
  readonly readers = { count: 0 }
  readonly #checks: HealthCheck[] = []

  constructor(clock: Clock, events$: Observable<PublishedEvent>) {
    this.startedAt = clock.now()
    this.#clock = clock
    this.#began = clock.elapsed()
    this.store = new StoreMetrics(clock)
    this.events = new EventMetrics(events$)
    events$.subscribe((event) => {
      if (event.type !== 'health-check') return
      this.#checks.push({ at: event.at, ...event.status })
      if (this.#checks.length > checksKept) this.#checks.shift()
    })
  }

  get uptimeMs(): number {
    return Math.round(this.#clock.elapsed() - this.#began)
  }

  /** The last 20 health checks, newest last. */
  get healthChecks(): readonly HealthCheck[] {
    return this.#checks
  }
}
