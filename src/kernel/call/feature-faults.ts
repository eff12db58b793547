import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Vitals } from '../../platform/metrics/vitals.ts'

const minuteMs = 60_000

export interface FeatureFaultsParts {
  readonly clock: Pick<Clock, 'elapsed'>
  readonly log: Pick<Log, 'error'>
  readonly failures: Pick<Vitals['featureFaults'], 'add'>
}

/** Counts errors of features that Iris can continue without, and logs at most one a minute for each place. */
export class FeatureFaults {
  readonly #parts: FeatureFaultsParts
  readonly #loggedAt = new Map<string, number>()
  readonly #counts = new Map<string, number>()

  constructor(parts: FeatureFaultsParts) {
    this.#parts = parts
  }

  /** How often the feature has failed since Iris started. */
  countOf(feature: string): number {
    return this.#counts.get(feature) ?? 0
  }

  /** `what`: the method of the feature that threw `error`. Never throws. */
  note(feature: string, what: string, error: unknown): void {
    const { clock, log, failures } = this.#parts
    failures.add({ feature, step: what })
    this.#counts.set(feature, this.countOf(feature) + 1)
    const place = `${feature} ${what}`
    const now = clock.elapsed()
    if (now - (this.#loggedAt.get(place) ?? Number.NEGATIVE_INFINITY) < minuteMs) return
    this.#loggedAt.set(place, now)
    log.error(`${feature} failed, and was passed over: ${String(error)}`, { step: what })
  }

  /**
   * Counts an error thrown by a subscriber to events. It counts for the feature whose code comes first in the error's
   * stack.
   */
  noteOfSubscriber(error: unknown): void {
    const [, feature = 'kernel'] = /[\\/](?:features|views)[\\/]([\w-]+)[\\/]/.exec(stackOf(error)) ?? []
    this.note(feature, 'events', error)
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : ''
}
