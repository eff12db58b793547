import type { DatabaseSync } from 'node:sqlite'
import { number, type RowOf, Selection, Table, text } from './table.ts'

export const compactions = new Table('compactions', {
  id: number(),
  /** The row id of the session. */
  session: number(),
  /** Milliseconds since the epoch. */
  at: number(),
  beforeTokens: number<number | null>(),
  afterTokens: number<number | null>(),
  /** Null if the compaction succeeded. */
  failure: text<string | null>(),
})

/** An attempt to compact a conversation. */
export const attempt = new Selection(compactions.pick('session', 'at', 'beforeTokens', 'afterTokens', 'failure'))

export interface CompactionRow extends RowOf<typeof attempt> {}

/** Compactions: past attempts (the table `compactions`), and which sessions need one (`team_sessions`). */
export class Compactions {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: compactions.insert(database, attempt.columns),
      failuresInARow: database.prepare(
        `SELECT COUNT(*) AS failures FROM compactions WHERE session = ?1 AND failure IS NOT NULL
           AND id > COALESCE((SELECT MAX(id) FROM compactions WHERE session = ?1 AND failure IS NULL), 0)`,
      ),
      cost: database.prepare('UPDATE team_sessions SET cost_usd = cost_usd + ? WHERE id = ?'),
      full: database.prepare(`UPDATE team_sessions SET status = 'compact_pending' WHERE id = ? AND status = 'active'`),
      shortened: database.prepare(
        `UPDATE team_sessions SET status = 'active', context_tokens = ?, context_window = ?
         WHERE id = ? AND status = 'compact_pending'`,
      ),
      summarised: database.prepare('UPDATE team_sessions SET summary = ? WHERE id = ?'),
      summaryOf: database.prepare('SELECT summary FROM team_sessions WHERE session_id = ?'),
    }
  }

  add(compaction: CompactionRow): void {
    this.#statements.add.run(compaction)
  }

  /** Adds the cost of a compaction, in US dollars, to its session. */
  cost(session: number, costUsd: number): void {
    this.#statements.cost.run(costUsd, session)
  }

  /** How many attempts have failed since the last successful one. */
  failuresInARow(session: number): number {
    return Number(this.#statements.failuresInARow.get(session)?.['failures'])
  }

  /** Marks a session for compaction before its next message. The mark survives a crash. */
  full(session: number): void {
    this.#statements.full.run(session)
  }

  /** Removes the mark. Null means that it is unknown how much of the window is in use. */
  shortened(session: number, contextTokens: number | null, contextWindow: number | null): void {
    this.#statements.shortened.run(contextTokens, contextWindow, session)
  }

  /** Stores the summary that begins the conversation that replaces this one. */
  summarised(session: number, summary: string): void {
    this.#statements.summarised.run(summary, session)
  }

  /** The summary of a conversation, found by Claude Code's id of the conversation. */
  summaryOf(sessionId: string): string | null {
    return (this.#statements.summaryOf.get(sessionId)?.['summary'] ?? null) as string | null
  }
}
