import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { feature } from '../../kernel/call/feature.ts'
import { type SwitchboardParts, switchboard as shown, standingOf } from './handlers.ts'
import { SessionChanges, type SessionChangesParts } from './session-changes.ts'

interface Needs extends SwitchboardParts {
  readonly clock: Clock
  readonly events: Observable<PublishedEvent>
  readonly publish: SessionChangesParts['publish']
}

/** All conversations and teams in one response, and an event for each conversation that changes. */
export const switchboard = feature('switchboard', (parts: Needs) => {
  const { clock, events, publish } = parts
  const around = { clock: clock.machine, publish }
  const changes = new SessionChanges(events, { ...around, view: (ids) => standingOf(ids, parts) })
  return {
    gives: {},
    handlers: { get_switchboard: (input) => shown(input, parts) },
    close: () => changes.close(),
  }
})
