import type { Observable } from 'rxjs'
import type { Clock } from '../lib/clock.ts'
import type { EndedTurn } from '../metrics/event-metrics.ts'
import { Vitals } from '../metrics/vitals.ts'
import type { Ends } from '../orchestrator/ends.ts'
import type { Orchestrator } from '../orchestrator/orchestrator.ts'
import type { PublishedEvent } from '../protocol/event.ts'
import type { StoreView } from '../protocol/store.ts'
import type { OpenedStore } from '../rebuild/open-store.ts'
import { StoreFile } from '../store/store-file.ts'

interface VitalsParts extends OpenedStore {
  readonly clock: Clock
  readonly ends: Ends
  readonly events: Observable<PublishedEvent>
  readonly orchestrator: Pick<Orchestrator, 'find'>
}

/** What is counted and measured of this daemon, from its first event on, and how its store stands. */
export function composeVitals({ clock, store, rebuilt, ends, events, orchestrator }: VitalsParts) {
  const turnOf = (turnId: string): EndedTurn | undefined => {
    const found = orchestrator.find(turnId)
    if (found === undefined || !('live' in found) || found.live.end === undefined) return undefined
    const { facts, dispatchedAt, end } = found.live
    return { acceptedAt: facts.acceptedAt, dispatchedAt, settledAt: end.settledAt, usage: end.usage }
  }
  const vitals = new Vitals(clock, events, turnOf)
  store.measureWith(vitals.store)
  return { vitals, storeFile: new StoreFile(store, clock), store: () => viewOf({ store, rebuilt }, ends) }
}

function viewOf({ store, rebuilt }: OpenedStore, { unrecorded }: Ends): StoreView {
  return {
    ...(store.damage !== undefined && { damage: store.damage }),
    unrecordedEnds: unrecorded,
    ...(rebuilt && { rebuilt }),
  }
}
