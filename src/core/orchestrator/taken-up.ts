import { timesFrom } from '../../base/lib/clock.ts'
import type { Past, TurnFacts } from '../../claude/turn/turn.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { Session } from '../session/session.ts'
import type { OrchestratorParts } from './parts.ts'

/** The material of a turn that a former daemon accepted and did not settle, from its row. */
export function takenUp(
  row: TurnRow,
  { from, to, thread }: Session,
  { clock, ledger, trees }: Pick<OrchestratorParts, 'clock' | 'ledger' | 'trees'>,
): { facts: TurnFacts; now: () => number; past: Past } {
  const { firstAt, dispatchedAt, value } = row
  return {
    facts: { ...row, pair: { from, to, thread }, ancestors: trees.above(row.id) },
    now: timesFrom(notBefore(row, clock.now()), clock),
    past: {
      ...{ delivery: ledger.deliveriesOf(row.id).at(-1)?.uuid, firstAt, dispatchedAt, value: value ?? undefined },
      valueRefusals: row.responseSchema === null ? [] : ledger.valueRefusals.of(row.id),
    },
  }
}

/** Now, or the turn's last recorded time if the wall clock has gone back. Time in between counts as zero. */
export function notBefore({ acceptedAt, firstAt, dispatchedAt, startedAt }: TurnRow, now: number): number {
  return Math.max(now, acceptedAt, firstAt ?? 0, dispatchedAt ?? 0, startedAt ?? 0)
}
