import { timesFrom } from '../lib/clock.ts'
import type { Session } from '../session/session.ts'
import type { TurnRow } from '../store/ledger.ts'
import type { MessageLog } from '../turn/message-log.ts'
import { Turn } from '../turn/turn.ts'
import type { OrchestratorParts } from './parts.ts'

/** A turn that a former daemon accepted and did not end. */
export function takenUp(
  row: TurnRow,
  { from, to, thread }: Session,
  log: MessageLog,
  { clock, ledger, trees }: Pick<OrchestratorParts, 'clock' | 'ledger' | 'trees'>,
): Turn {
  const facts = { ...row, pair: { from, to, thread }, ancestors: trees.above(row.id) }
  const turn = new Turn(facts, log, timesFrom(notBefore(row, clock.now()), clock))
  turn.delivery = ledger.deliveriesOf(row.id).at(-1)?.uuid
  turn.firstAt = row.firstAt
  turn.dispatchedAt = row.dispatchedAt
  turn.takenUp = row.dispatchedAt !== null
  return turn
}

/** Now, or the last time on record where the wall clock has gone back since: what lies between counts as no time. */
export function notBefore({ acceptedAt, firstAt, dispatchedAt, startedAt }: TurnRow, now: number): number {
  return Math.max(now, acceptedAt, firstAt ?? 0, dispatchedAt ?? 0, startedAt ?? 0)
}
