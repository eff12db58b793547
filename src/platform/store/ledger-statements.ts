import type { DatabaseSync } from 'node:sqlite'
import { Selection, text } from './table.ts'
import { deliveries, givenAtAcceptance, givenAtEnd, turns } from './turns.ts'

const exchanges = new Selection({ message: text(), answer: text() })

/** The prepared statements of the ledger. */
export function prepare(database: DatabaseSync) {
  return {
    accept: turns.insert(database, { ...givenAtAcceptance.columns, ...turns.pick('state') }),
    revise: database.prepare(`UPDATE turns SET message = ? WHERE id = ? AND state = 'accepted'`),
    deliverLater: database.prepare('INSERT INTO later_deliveries (turn, uuid, committed_at) VALUES (?, ?, ?)'),
    dispatched: database.prepare(
      `UPDATE turns SET state = 'dispatched', dispatched_at = COALESCE(dispatched_at, ?),
         first_at = COALESCE(first_at, ?) WHERE id = ?`,
    ),
    sessionBusy: database.prepare(
      `UPDATE team_sessions SET process_state = 'processing', current_cache_session_id = ?, last_used_at = ? WHERE id = ?`,
    ),
    takeNotices: database.prepare(
      `UPDATE notices SET turn = ?1 WHERE (to_team, from_team, thread) =
         (SELECT to_team, from_team, thread FROM team_sessions WHERE id = ?2) AND turn IS NULL AND expires_at > ?3`,
    ),
    detachNotices: database.prepare('UPDATE notices SET turn = NULL WHERE turn = ?'),
    move: database.prepare(
      `UPDATE turns SET session = ?1, context_reset = COALESCE(CASE WHEN sequence = (
         SELECT MIN(sequence) FROM turns WHERE session = ?3 AND state <> 'settled' AND id IS NOT ?4) THEN ?2 END, context_reset)
       WHERE session = ?3 AND state <> 'settled' AND id IS NOT ?4`,
    ),
    settle: turns.update(
      database,
      givenAtEnd.columns,
      `, state = 'settled', first_at = COALESCE(first_at, ?), started_at = COALESCE(started_at, ?) WHERE id = ? AND state <> 'settled'`,
    ),
    giveValue: database.prepare(`UPDATE turns SET value = ? WHERE id = ? AND value IS NULL AND state <> 'settled'`),
    sessionIdle: database.prepare(
      `UPDATE team_sessions SET message_count = message_count + ?1, last_response_at = ?2, cost_usd = cost_usd + ?8,
         last_answered_delivery = COALESCE(?3, last_answered_delivery),
         context_tokens = COALESCE(?6, context_tokens), context_window = COALESCE(?7, context_window),
         process_state = CASE WHEN current_cache_session_id = ?4 AND process_state = 'processing' THEN 'idle'
           ELSE process_state END,
         current_cache_session_id = CASE WHEN current_cache_session_id = ?4 THEN NULL ELSE current_cache_session_id END
       WHERE id = ?5`,
    ),
    byId: turns.select(database, `FROM turns WHERE id = ?`),
    byKey: turns.select(database, `FROM turns WHERE idempotency_key = ?1 OR id = ?2`),
    unsettled: turns.select(database, `FROM turns WHERE state <> 'settled' ORDER BY sequence`),
    asksOf: turns.select(database, `FROM turns WHERE parent_turn = ? ORDER BY sequence`),
    exchangesOf: exchanges.select(
      database,
      `FROM turns WHERE session = ? AND outcome = 'completed' ORDER BY sequence DESC LIMIT ?`,
    ),
    deliveriesOf: deliveries.select(database, 'FROM deliveries WHERE turn = ? ORDER BY sequence'),
  }
}
