import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../protocol/event.ts'
import { pairText } from '../protocol/party.ts'
import type { Audit, AuditEntry } from '../store/audit.ts'

export function recordEvents(events: Observable<PublishedEvent>, audit: Audit): void {
  events.subscribe((event) => {
    const entry = auditedEvent(event)
    if (entry) audit.record(entry)
  })
}

/** What the audit keeps of what Iris announces: what nobody called for, and still somebody did. */
function auditedEvent(event: PublishedEvent): AuditEntry | undefined {
  const { at } = event
  switch (event.type) {
    case 'config-reloaded': {
      const { teamsAdded, teamsRemoved, keys, needsRestart } = event
      const detail = { teamsAdded, teamsRemoved, keys, needsRestart }
      return { at, actor: 'iris', action: 'config.reloaded', subject: 'config.yaml', decision: 'allowed', detail }
    }
    case 'config-rejected': {
      const detail = { keys: event.problems.map(({ key }) => key) }
      return {
        at,
        actor: 'iris',
        action: 'config.rejected',
        subject: 'config.yaml',
        decision: 'config_invalid',
        detail,
      }
    }
    case 'session-held':
    case 'session-released': {
      const { pid, sessionId } = event
      const action = event.type === 'session-held' ? 'session.held' : 'session.released'
      return { at, actor: 'owner', action, subject: pairText(event), detail: { sessionId, pid } }
    }
    default:
      return undefined
  }
}
