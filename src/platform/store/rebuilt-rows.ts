import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Outcome, Reason, Usage } from '../../base/protocol/turn.ts'
import { turns } from './turns.ts'

/** A conversation as its files show it. Times are milliseconds since the epoch. */
export interface FoundSession extends Pair {
  readonly sessionId: string
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly messageCount: number
  readonly lastAnswered: { readonly delivery: string; readonly at: number } | undefined
}

export interface FoundTurn {
  readonly id: string
  readonly message: string
  /** When the message was given to Claude, milliseconds since the epoch. */
  readonly at: number
  readonly partial: string | null
  /** Undefined if no end is recorded. */
  readonly end: FoundEnd | undefined
}

export interface FoundEnd {
  readonly outcome: Outcome
  readonly reason: Reason | null
  readonly detail: string | null
  readonly answer: string | null
  readonly usage: Usage | null
  readonly at: number
}

const laterWhy = 'the store was rebuilt, and the pair has a later conversation'

/** Adds the conversations that were read from files to a rebuilt store, which already contains the salvaged rows. */
export class RebuiltRows {
  readonly #database: DatabaseSync
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#statements = prepare(database)
  }

  /** Returns the row id. Updates a salvaged session; a new one stays archived until `chooseLive`. */
  session(found: FoundSession): number {
    const { from, to, thread, sessionId, createdAt, lastUsedAt, messageCount, lastAnswered } = found
    const { delivery = null, at = null } = lastAnswered ?? {}
    const row = this.#statements.session.get(
      ...[from, to, thread, sessionId, createdAt, lastUsedAt, messageCount, delivery, at],
    )
    return Number(row?.['id'])
  }

  /** The turn of a delivery, if it is known. */
  turnOf(delivery: string): string | undefined {
    return this.#statements.turnOf.get(delivery)?.['turn'] as string | undefined
  }

  /** Adds a turn, or completes a salvaged one. A salvaged turn that has ended stays unchanged. */
  turn(session: number, { id, message, at, partial, end }: FoundTurn): void {
    const { outcome = null, reason = null, detail = null, answer = null, usage = null } = end ?? {}
    const state = end ? 'settled' : 'dispatched'
    const given = { id, session, message, hop: 1, awaited: false, acceptedAt: at, dispatchedAt: at, startedAt: at }
    const settledAt = end?.at ?? null
    this.#statements.turn.run({ ...given, state, outcome, reason, detail, answer, partial, usage, settledAt })
  }

  /** Makes the most recently used conversation of each pair and thread the live one. Archives the others. */
  chooseLive(): void {
    this.#database.exec(`
      CREATE TEMP TABLE ranked AS
        SELECT id, ROW_NUMBER() OVER (
          PARTITION BY from_team, to_team, thread ORDER BY last_used_at DESC, id DESC) AS rank
        FROM team_sessions WHERE archived_at IS NULL;
      UPDATE team_sessions SET status = 'archived', archived_at = last_used_at, archived_why = '${laterWhy}'
        WHERE id IN (SELECT id FROM ranked WHERE rank > 1);
      UPDATE team_sessions SET status = 'active'
        WHERE status = 'archived' AND id IN (SELECT id FROM ranked WHERE rank = 1);
      DROP TABLE ranked`)
  }

  /** Settles all remaining turns as `in_doubt`, so that none of them is given to Claude again. Returns their number. */
  doubtTheRest(detail: string, at: number): number {
    return Number(this.#statements.doubt.run(detail, at).changes)
  }

  /**
   * Raises each session's cost to the cost of its turns, because a salvaged sum may be older than the turns. A sum that
   * is higher than the turns' cost stays, because it includes compactions, which no turn does.
   */
  sumCosts(): void {
    this.#database.exec(`UPDATE team_sessions SET cost_usd = MAX(cost_usd, COALESCE(
      (SELECT SUM(usage ->> 'costUsd') FROM turns WHERE session = team_sessions.id AND usage IS NOT NULL), 0))`)
  }

  count(): { readonly sessions: number; readonly turns: number } {
    return this.#statements.count.get() as { sessions: number; turns: number }
  }
}

function prepare(database: DatabaseSync) {
  return {
    session: database.prepare(
      `INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at, message_count,
         last_answered_delivery, last_response_at, status, origin)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'archived', 'rebuilt')
       ON CONFLICT (session_id) DO UPDATE SET
         last_used_at = MAX(last_used_at, excluded.last_used_at),
         message_count = MAX(message_count, excluded.message_count),
         last_answered_delivery = CASE WHEN excluded.last_response_at > COALESCE(last_response_at, 0)
           THEN excluded.last_answered_delivery ELSE last_answered_delivery END,
         last_response_at = MAX(COALESCE(last_response_at, 0), COALESCE(excluded.last_response_at, 0))
       RETURNING id`,
    ),
    turnOf: database.prepare('SELECT turn FROM deliveries WHERE uuid = ?'),
    turn: turns.insert(
      database,
      {
        ...turns.pick('id', 'session', 'message', 'hop', 'awaited', 'state', 'outcome', 'reason', 'detail', 'answer'),
        ...turns.pick('partial', 'usage', 'acceptedAt', 'dispatchedAt', 'startedAt', 'settledAt'),
      },
      `ON CONFLICT (id) DO UPDATE SET state = excluded.state, outcome = excluded.outcome, reason = excluded.reason,
         detail = excluded.detail, answer = excluded.answer, partial = excluded.partial, usage = excluded.usage,
         dispatched_at = COALESCE(dispatched_at, excluded.dispatched_at),
         started_at = COALESCE(started_at, excluded.started_at), settled_at = excluded.settled_at
       WHERE state <> 'settled'`,
    ),
    doubt: database.prepare(
      `UPDATE turns SET state = 'settled', outcome = 'in_doubt', reason = 'interrupted', detail = ?, settled_at = ?
       WHERE state <> 'settled'`,
    ),
    count: database.prepare(
      'SELECT (SELECT COUNT(*) FROM team_sessions) AS sessions, (SELECT COUNT(*) FROM turns) AS turns',
    ),
  }
}
