import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { AllEventTexts } from '../../kernel/call/event-texts.ts'
import type { Audit } from './rows/audit.ts'

/** Records the events that no call of an operation caused, such as a saved config.yaml. */
export function recordEvents(events: Observable<PublishedEvent>, texts: AllEventTexts, audit: Audit): void {
  events.subscribe((event) => {
    const entry = texts.get(event.type)?.audit?.(event as never)
    if (entry) audit.record({ actor: 'iris', ...entry, at: event.at })
  })
}
