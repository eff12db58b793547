import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../base/protocol/pair.ts'

/** A notice for a team. Times are milliseconds since the epoch. */
export interface NoticeRow extends Pair {
  readonly id: number
  readonly text: string
  readonly leftAt: number
  readonly expiresAt: number
}

export type NewNotice = Omit<NoticeRow, 'id'> & { readonly idempotencyKey: string | null }

const columns = `id, from_team AS "from", to_team AS "to", thread, text, left_at AS leftAt, expires_at AS expiresAt`

/** The table `notices`. The ledger attaches them to a turn, in the transaction of its first delivery. */
export class Notices {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      leave: database.prepare(
        `INSERT INTO notices (from_team, to_team, thread, text, left_at, expires_at, idempotency_key)
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING ${columns}`,
      ),
      // The pair is that of the turn's conversation, with its role.
      bring: database.prepare(
        `INSERT INTO notices (from_team, to_team, thread, text, left_at, expires_at, turn)
         SELECT from_team, to_team, thread, ?2, ?3, ?3, ?1 FROM team_sessions
         WHERE id = (SELECT session FROM turns WHERE id = ?1)`,
      ),
      byKey: database.prepare(`SELECT ${columns} FROM notices WHERE idempotency_key = ?`),
      ofTurn: database.prepare(`SELECT ${columns} FROM notices WHERE turn = ? ORDER BY id`),
      waiting: database.prepare(
        `SELECT COUNT(*) AS count FROM notices
         WHERE to_team = ? AND from_team = ? AND thread = ? AND turn IS NULL AND expires_at > ?`,
      ),
      counts: database.prepare(
        `SELECT COUNT(*) AS total, COALESCE(SUM(turn IS NULL AND expires_at > ?1), 0) AS pending
         FROM notices WHERE to_team = ?2 AND (?3 IS NULL OR from_team = ?3 OR to_team = ?3)`,
      ),
    }
  }

  leave({ from, to, thread, text, leftAt, expiresAt, idempotencyKey }: NewNotice): NoticeRow {
    const { leave } = this.#statements
    return leave.get(from, to, thread, text, leftAt, expiresAt, idempotencyKey) as unknown as NoticeRow
  }

  /** Attaches notices to a turn with which they came from another host. */
  bring(turn: string, notices: readonly Pick<NoticeRow, 'text' | 'leftAt'>[]): void {
    for (const { text, leftAt } of notices) this.#statements.bring.run(turn, text, leftAt)
  }

  byKey(idempotencyKey: string): NoticeRow | undefined {
    return this.#statements.byKey.get(idempotencyKey) as NoticeRow | undefined
  }

  /** The notices attached to this turn, in the order in which they were left. */
  ofTurn(turn: string): NoticeRow[] {
    return this.#statements.ofTurn.all(turn) as unknown as NoticeRow[]
  }

  /** How many notices wait for the pair's next turn. */
  waiting({ from, to, thread }: Pair, now: number): number {
    return Number(this.#statements.waiting.get(to, from, thread, now)?.['count'])
  }

  /** How many notices a team was ever left, and how many wait. With `participant`: only those by or for it. */
  countsOf(team: string, participant: string | undefined, now: number): { total: number; pending: number } {
    const { total, pending } = this.#statements.counts.get(now, team, participant ?? null) ?? {}
    return { total: Number(total), pending: Number(pending) }
  }
}
