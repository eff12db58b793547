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

/** The table `compactions`: every attempt to make a conversation shorter. */
export class Compactions {
  readonly #add
  readonly #failuresInARow

  constructor(database: DatabaseSync) {
    this.#add = database.prepare(
      'INSERT INTO compactions (session, at, before_tokens, after_tokens, failure) VALUES (?, ?, ?, ?, ?)',
    )
    this.#failuresInARow = database.prepare(
      `SELECT COUNT(*) AS failures FROM compactions WHERE session = ?1 AND failure IS NOT NULL
         AND id > COALESCE((SELECT MAX(id) FROM compactions WHERE session = ?1 AND failure IS NULL), 0)`,
    )
  }

  add({ session, at, beforeTokens, afterTokens, failure }: CompactionRow): void {
    this.#add.run(session, at, beforeTokens, afterTokens, failure)
  }

  /** How many of a session's last attempts failed, since the last one that worked. */
  failuresInARow(session: number): number {
    return Number(this.#failuresInARow.get(session)?.['failures'])
  }
}
