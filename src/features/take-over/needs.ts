import type { Need, UrgentSession } from '../../base/protocol/inbox-needs.ts'
import { needOf } from '../../base/protocol/standing.ts'

/** Conversations that a person has open in a terminal while messages wait. */
export function openElsewhere(urgent: readonly UrgentSession[]): readonly Need[] {
  return urgent.flatMap(({ session }): Need[] => {
    if (needOf(session) !== 'openElsewhere') return []
    const { sessionId, lastUsedAt } = session
    return [{ kind: 'openElsewhere', id: sessionId, sessionId, at: lastUsedAt }]
  })
}
