import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { AllEventTexts } from '../../kernel/call/event-texts.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { KnownParticipantsParts } from '../../kernel/call/known-participants.ts'
import type { Store } from '../../platform/store/store.ts'
import { audit as page, verified } from './handlers.ts'
import { Audit } from './rows/audit.ts'
import { AuditTrail } from './rows/audit-trail.ts'

interface Needs extends KnownParticipantsParts {
  readonly clock: Clock
  readonly database: Store
  readonly events: Subject<PublishedEvent>
  readonly eventTexts: AllEventTexts
}

/**
 * A record of actions and refusals, in which each row has the hash of the previous one. Where an entry belongs to a
 * transaction, the two are stored together or not at all. Other entries wait in memory while the store refuses them.
 */
export const audit = feature('audit', (parts: Needs) => {
  const gives = { audit: new Audit(parts.database, parts.clock.machine), auditTrail: new AuditTrail(parts.database) }
  recordEvents(parts.events, parts.eventTexts, gives.audit)
  const reading = { ...parts, ...gives }
  return {
    gives,
    seams: { audit: gives.audit },
    handlers: {
      list_audit: (input) => page(input, reading),
      verify_audit: (input) => verified(input, reading),
    },
    close: () => gives.audit.close(),
  }
})

/** Records the events that no call of an operation caused, such as a saved config.yaml. */
function recordEvents(events: Observable<PublishedEvent>, texts: AllEventTexts, audit: Audit): void {
  events.subscribe((event) => {
    const entry = texts.get(event.type)?.audit?.(event as never)
    if (entry) audit.record({ actor: 'iris', ...entry, at: event.at })
  })
}
