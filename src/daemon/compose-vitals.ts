import type { Observable } from 'rxjs'
import type { Clock } from '../lib/clock.ts'
import type { EndedTurn } from '../metrics/event-metrics.ts'
import { Vitals } from '../metrics/vitals.ts'
import type { Orchestrator } from '../orchestrator/orchestrator.ts'
import type { PublishedEvent } from '../protocol/event.ts'
import type { Store } from '../store/store.ts'

interface VitalsParts {
  readonly clock: Clock
  readonly store: Store
  readonly events: Observable<PublishedEvent>
  readonly orchestrator: Pick<Orchestrator, 'find'>
}

/** What is counted and measured of this daemon, from its first event on. */
export function composeVitals({ clock, store, events, orchestrator }: VitalsParts): Vitals {
  const turnOf = (turnId: string): EndedTurn | undefined => {
    const found = orchestrator.find(turnId)
    if (found === undefined || !('live' in found) || found.live.end === undefined) return undefined
    const { facts, dispatchedAt, end } = found.live
    return { acceptedAt: facts.acceptedAt, dispatchedAt, settledAt: end.settledAt, usage: end.usage }
  }
  const vitals = new Vitals(clock, events, turnOf)
  store.measureWith(vitals.store)
  return vitals
}
