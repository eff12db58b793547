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

/** What this daemon knows of its own health, besides what the domain can be asked. */
export class Vitals {
  readonly startedAt: number
  readonly #clock: Clock
  readonly #began: number
  /** Whether messages are taken at all; changed by the daemon. */
  phase: 'recovering' | 'serving' | 'stopping' = 'recovering'
  readonly events: EventMetrics
  readonly store: StoreMetrics
  readonly eventLoop = new EventLoopDelay()
  /** Calls of operations, by whichever adapter. */
  readonly calls = new Counter<'operation' | 'caller' | 'result'>(
    'iris_calls_total',
    'Calls of operations over HTTP and MCP: ok, or the code of the refusal.',
  )
  /** Open streams of events. */
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

  /** The latest, the newest last. */
  get healthChecks(): readonly HealthCheck[] {
    return this.#checks
  }
}
