import { type Judged, type Standing, standingOf } from '../../../../src/base/protocol/standing.ts'
import { exactTime } from '../format/times.ts'
import { texts } from './texts.ts'

/** The state of a conversation, in its one word. */
export function standingWord(standing: Standing): string {
  return texts.standings[standing]
}

/** Why a session is in its state, as a sentence; empty if there is nothing to add. */
export function whyStanding(session: Judged): string {
  const { breaker, heldBy, unreachableSince, waitsForPermission } = session
  const { archivedWhy, transcriptMissingSince, lastTurn } = session
  if (waitsForPermission !== undefined) return texts.why.waits(waitsForPermission)
  if (breaker) return texts.why.breaker(breaker.cause)
  if (heldBy !== undefined) return texts.why.openElsewhere(heldBy)
  if (unreachableSince !== undefined) return texts.why.unreachable(exactTime(unreachableSince))
  if (archivedWhy !== undefined) return texts.why.archived(archivedWhy)
  if (standingOf(session) === 'failed' && lastTurn)
    return lastTurn.detail ?? lastTurn.reason ?? whyFailed(lastTurn.status)
  return transcriptMissingSince === undefined ? '' : texts.why.transcriptMissing
}

function whyFailed(status: string): string {
  return status === 'timed_out' ? texts.why.timedOut : status === 'in_doubt' ? texts.why.inDoubt : texts.why.failed
}
