import { timesFrom } from '../../base/lib/clock.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import { missingFor } from '../session/seams.ts'
import type { Session } from '../session/session.ts'
import type { Past, TurnFacts } from '../turn/turn.ts'
import { ended, endedBy } from '../turn/verdict.ts'
import { withItsSession } from './cancellations.ts'
import { endedMeanwhile } from './ended-meanwhile.ts'

/**
 * The turns that an earlier daemon accepted and did not settle, in the order of the ledger. Turns whose end was decided
 * in the meantime, and turns that need a feature which this Iris lacks, are settled here.
 */
export function* leftUnsettled(
  parts: Pick<OrchestratorParts, 'clock' | 'ledger' | 'log' | 'seams' | 'sessions' | 'trees'>,
) {
  const { clock, ledger, log, sessions } = parts
  const now = clock.now()
  const unsettled = ledger.unsettled()
  const ahead = unsettled.filter((row) => notBefore(row, now) > now).length
  if (ahead > 0) log.warn('the clock of this machine has gone back: the time in between counts as zero', { ahead })
  for (const row of unsettled) {
    const why = sessions.rowOf(row.session).status === 'archived' ? withItsSession : row.ending
    if (why !== null) {
      ledger.settle(row, endedMeanwhile(row, endedBy(why, row.partial ?? ''), notBefore(row, now)))
      continue
    }
    const session = sessions.openRow(row.session)
    const missing = missingFor({ ...row, thread: session.thread }, parts.seams)
    if (missing !== undefined) {
      const end = ended('failed', 'feature_missing', missing.message, row.partial ?? '')
      ledger.settle(row, endedMeanwhile(row, end, notBefore(row, now)))
      continue
    }
    yield { session, ...takenUp(row, session, parts) }
  }
}

/** The inputs of a turn that an earlier daemon accepted and did not settle, from the turn's row. */
function takenUp(
  row: TurnRow,
  { from, to, thread }: Session,
  { clock, ledger, trees }: Pick<OrchestratorParts, 'clock' | 'ledger' | 'trees'>,
): { facts: TurnFacts; now: () => number; past: Past } {
  const { firstAt, dispatchedAt, value } = row
  return {
    facts: { ...row, pair: { from, to, thread }, ancestors: trees.budgetIdsAbove(row.id) },
    now: timesFrom(notBefore(row, clock.now()), clock),
    past: {
      delivery: ledger.deliveriesOf(row.id).at(-1)?.uuid,
      firstAt,
      dispatchedAt,
      value: value ?? undefined,
      valueRefusals: row.responseSchema === null ? [] : ledger.valueRefusals.of(row.id),
    },
  }
}

/** Now, or the turn's last recorded time if the wall clock has been set back. The time in between counts as zero. */
function notBefore({ acceptedAt, firstAt, dispatchedAt, startedAt }: TurnRow, now: number): number {
  return Math.max(now, acceptedAt, firstAt ?? 0, dispatchedAt ?? 0, startedAt ?? 0)
}
