import type { DatabaseSync } from 'node:sqlite'

export interface CompactionRow {
  /** Row id of its session. */
  readonly session: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly beforeTokens: number | null
  readonly afterTokens: number | null
  /** Null: it worked. */
  readonly failure: string | null
}

/** Conversations that grew too long: what was tried (the table `compactions`), and what is to be done (`team_sessions`). */
export class Compactions {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: database.prepare(
        'INSERT INTO compactions (session, at, before_tokens, after_tokens, failure) VALUES (?, ?, ?, ?, ?)',
      ),
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

  add({ session, at, beforeTokens, afterTokens, failure }: CompactionRow): void {
    this.#statements.add.run(session, at, beforeTokens, afterTokens, failure)
  }

  /** One cost so much of a session, US dollars. */
  cost(session: number, costUsd: number): void {
    this.#statements.cost.run(costUsd, session)
  }

  /** How many of a session's last attempts failed, since the last one that worked. */
  failuresInARow(session: number): number {
    return Number(this.#statements.failuresInARow.get(session)?.['failures'])
  }

  /** The context is full: something must be done about that before the next message, also after a crash. */
  full(session: number): void {
    this.#statements.full.run(session)
  }

  /** There is room again; null: how much of the window is taken is not known. */
  shortened(session: number, contextTokens: number | null, contextWindow: number | null): void {
    this.#statements.shortened.run(contextTokens, contextWindow, session)
  }

  /** Kept for the conversation that will come out of this one. */
  summarised(session: number, summary: string): void {
    this.#statements.summarised.run(summary, session)
  }

  /** By Claude Code's id of the conversation. */
  summaryOf(sessionId: string): string | null {
    return (this.#statements.summaryOf.get(sessionId)?.['summary'] ?? null) as string | null
  }
}
