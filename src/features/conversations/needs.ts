import type { Need, UrgentSession } from '../../base/protocol/inbox-needs.ts'
import { isFailure, needOf } from '../../base/protocol/standing.ts'

/** Conversations whose last message failed, or whose process cannot be started. */
export function failures(urgent: readonly UrgentSession[]): readonly Need[] {
  return urgent.flatMap(({ session }): Need[] => {
    const { sessionId, lastTurn, breaker } = session
    if (needOf(session) !== 'failed') return []
    if (breaker !== undefined || lastTurn === undefined || !isFailure(lastTurn))
      return [{ kind: 'broken', id: sessionId, sessionId, at: session.lastUsedAt }]
    const { turnId, settledAt, acceptedAt, message } = lastTurn
    return [{ kind: 'failed', id: turnId, sessionId, turnId, message, at: settledAt ?? acceptedAt }]
  })
}
