import type { Secrets } from '../../base/lib/secrets.ts'
import type { LastTurnView, SwitchboardSession } from '../../base/protocol/session-view.ts'
import type { SessionHandles } from '../../kernel/accept/session-handle.ts'
import type { Waits } from '../../kernel/accept/waits.ts'
import { statusOf } from '../../kernel/call/turn-model.ts'
import type { Seams } from '../../kernel/session/seams.ts'
import type { LastTurn, LastTurns } from '../../platform/store/last-turns.ts'
import type { ListedSession } from '../../platform/store/session-list.ts'
import { known } from './handlers/list-sessions.ts'

export interface StandingParts {
  readonly sessions: SessionHandles
  readonly seams: Pick<Seams, 'questions'>
  readonly lastTurns: LastTurns
  readonly secrets: Secrets
  readonly waits: Waits
}

/**
 * Everything that lists show about a session, from its row in the store, its process, its queue and its last turn.
 * Fields without a value are absent. (`standingOf` in base/protocol makes one word of the result.)
 */
export function standing(row: ListedSession, parts: StandingParts): SwitchboardSession {
  const { sessions, seams, lastTurns, waits } = parts
  const { sessionId, from, to, thread, status, origin, createdAt, lastUsedAt, messageCount, costUsd } = row
  const activity = sessions.activityOf(row)
  const { contextTokens, contextWindow, transcriptMissingSince, archivedAt, archivedWhy } = row
  return {
    sessionId,
    from,
    to,
    thread,
    status,
    origin,
    createdAt,
    lastUsedAt,
    messageCount,
    costUsd,
    queueLength: activity.waiting,
    processState: activity.processState,
    ...known({
      contextTokens,
      contextWindow,
      transcriptMissingSince,
      archivedAt,
      archivedWhy,
      lastAnswerAt: row.lastResponseAt,
      runningTurnId: activity.runningTurnId,
      pid: activity.process?.pid,
      startedAt: activity.process?.startedAt,
      starts: activity.starts || undefined,
      failures: activity.failures || undefined,
      breaker: activity.breaker,
      heldBy: activity.heldBy,
      unreachableSince: activity.unreachableSince,
      waitsForPermission: seams.questions.ofSession(row.id)?.toolName,
      waitsFor: waits.ofFirst(activity.queue),
      lastTurn: lastTurnView(lastTurns.of(row.id), parts),
    }),
  }
}

function lastTurnView(row: LastTurn | undefined, { secrets }: StandingParts): LastTurnView | undefined {
  if (row === undefined) return undefined
  const { id, message, text, reason, detail, acceptedAt, settledAt, isDismissed } = row
  return {
    turnId: id,
    status: statusOf(row),
    message,
    acceptedAt,
    ...known({ reason, detail: detail && secrets.hideInText(detail), text: text || null, settledAt }),
    ...(isDismissed && { isDismissed }),
  }
}
