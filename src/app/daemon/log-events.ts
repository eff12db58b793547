import type { Observable } from 'rxjs'
import type { Log } from '../../base/lib/log.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { AllEventTexts } from '../../kernel/call/event-texts.ts'

/** Logs events, one line each. */
export function logEvents(events: Observable<PublishedEvent>, texts: AllEventTexts, log: Log): void {
  const logs = new Map<string, Log>()
  const logOf = (context: string): Log => {
    const known = logs.get(context) ?? log.for(context)
    logs.set(context, known)
    return known
  }
  events.subscribe((event) => {
    const line = texts.get(event.type)?.log?.(event as never)
    if (line) logOf(line.context)[line.level](line.message, line.ids)
  })
}
