import { timesFrom } from '../../base/lib/clock.ts'
import type { Past, TurnFacts } from '../../claude/turn/turn.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { Session } from '../session/session.ts'
import type { OrchestratorParts } from './parts.ts'

/** A turn that a former daemon accepted and did not end, as the ledger has it. */
export function takenUp(
  row: TurnRow,
  { from, to, thread }: Session,
  { clock, ledger, trees }: Pick<OrchestratorParts, 'clock' | 'ledger' | 'trees'>,
): { facts: TurnFacts; now: () => number; past: Past } {
  const { firstAt, dispatchedAt, value } = row
  return {
    facts: { ...row, pair: { from, to, thread }, ancestors: trees.above(row.id) },
    now: timesFrom(notBefore(row, clock.now()), clock),
    past: { delivery: ledger.deliveriesOf(row.id).at(-1)?.uuid, firstAt, dispatchedAt, value: value ?? undefined },
  }
}

/** Now, or the last time on record where the wall clock has gone back since: what lies between counts as no time. */
export function notBefore({ acceptedAt, firstAt, dispatchedAt, startedAt }: TurnRow, now: number): number {
  return Math.max(now, acceptedAt, firstAt ?? 0, dispatchedAt ?? 0, startedAt ?? 0)
}
