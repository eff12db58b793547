import type { Need, UrgentSession } from '../../base/protocol/inbox-needs.ts'
import { needOf } from '../../base/protocol/standing.ts'

/** A person has it open in a terminal, and messages wait. */
export function openElsewhere(urgent: readonly UrgentSession[]): readonly Need[] {
  return urgent.flatMap(({ session }): Need[] => {
    if (needOf(session) !== 'openElsewhere') return []
    const { sessionId, lastUsedAt } = session
    return [{ kind: 'openElsewhere', id: sessionId, sessionId, at: lastUsedAt }]
  })
}
