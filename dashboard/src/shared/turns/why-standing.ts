import { type Judged, type Standing, standingOf } from '../../../../src/base/protocol/standing.ts'
import type { WaitsFor } from '../../../../src/base/protocol/waits-for.ts'
import { waitsForText } from '../../../../src/base/protocol/waits-for-text.ts'
import { exactTime } from '../format/times.ts'
import { texts } from './texts.ts'

/** The state of a conversation as one word. */
export function standingWord(standing: Standing): string {
  return texts.standings[standing]
}

/** Why a session is in its state, as a sentence; empty if there is nothing to add. */
export function whyStanding(session: Judged): string {
  const { breaker, heldBy, unreachableSince, waitsForPermission, waitsFor } = session
  const { archivedWhy, transcriptMissingSince, lastTurn } = session
  if (waitsForPermission !== undefined) return texts.why.waits(waitsForPermission)
  if (waitsFor !== undefined && waitsFor.kind !== 'machine') return whyWaits(waitsFor)
  if (breaker) return texts.why.breaker(breaker.cause)
  if (heldBy !== undefined) return texts.why.openElsewhere(heldBy)
  if (unreachableSince !== undefined) return texts.why.unreachable(exactTime(unreachableSince))
  if (archivedWhy !== undefined) return texts.why.archived(archivedWhy)
  if (standingOf(session) === 'failed' && lastTurn)
    return lastTurn.detail ?? lastTurn.reason ?? whyFailed(lastTurn.status)
  return transcriptMissingSince === undefined ? '' : texts.why.transcriptMissing
}

/** What a message waits for, what to do, and until when it waits at the latest. */
export function whyWaits({ kind, until, ...wait }: WaitsFor): string {
  const text = `${waitsForText(wait)}.`
  return until === undefined || kind === 'question' ? text : `${text} ${texts.until(exactTime(until))}`
}

function whyFailed(status: string): string {
  return status === 'timed_out' ? texts.why.timedOut : status === 'in_doubt' ? texts.why.inDoubt : texts.why.failed
}
