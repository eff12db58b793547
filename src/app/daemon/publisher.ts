import type { Clock } from '../../base/lib/clock.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'

/** Hides secrets in events, except in agents' messages and permission questions, which people must see as they are. */
export function publisher(events: Subject<PublishedEvent>, clock: Clock, secrets: Secrets) {
  let sequence = 0
  return (event: IrisEvent): void => {
    const shown = isOfAgents(event) ? event : secrets.hideIn(event)
    events.next({ ...shown, sequence: ++sequence, at: clock.now() })
  }
}

function isOfAgents({ type }: IrisEvent): boolean {
  return type === 'turn-message' || type.startsWith('permission:')
}
