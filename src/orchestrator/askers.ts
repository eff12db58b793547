import type { Session } from '../session/session.ts'
import { chainOf } from './admission.ts'
import type { OrchestratorParts } from './parts.ts'

/** The chain of asks that led to what a session does now, also through turns that have ended since. */
export function askersOf(
  session: Session,
  { ledger, sessions }: Pick<OrchestratorParts, 'ledger' | 'sessions'>,
): readonly string[] {
  const turn = session.running
  if (turn === undefined) return [session.from, session.to]
  return chainOf({ pair: turn.pair, parentTurn: turn.facts.parentTurn }, (id) => {
    const row = ledger.turn(id)
    return row && { pair: sessions.rowOf(row.session), parentTurn: row.parentTurn }
  })
}
