import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { StoreView } from '../../base/protocol/store.ts'
import type { OpenedStore } from '../../kernel/rebuild/open-store.ts'
import type { Ends } from '../../kernel/turn/ends.ts'
import { Vitals } from '../../platform/metrics/vitals.ts'
import { StoreFile } from '../../platform/store/store-file.ts'

interface VitalsParts extends OpenedStore {
  readonly clock: Clock
  readonly ends: Ends
  readonly events: Observable<PublishedEvent>
}

/** Composes the metrics of this daemon, from its first event on, and the state of its store. */
export function composeVitals({ clock, store, rebuilt, ends, events }: VitalsParts) {
  const vitals = new Vitals(clock, events)
  store.measureWith(vitals.store)
  return { vitals, storeFile: new StoreFile(store, clock), store: () => viewOf({ store, rebuilt }, ends) }
}

function viewOf({ store, rebuilt }: OpenedStore, { unrecorded }: Ends): StoreView {
  return {
    ...(store.damage !== undefined && { damage: store.damage }),
    unrecordedEnds: unrecorded,
    ...(rebuilt && { rebuilt }),
    ...(store.restored && { restored: store.restored }),
  }
}
