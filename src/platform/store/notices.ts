import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../base/protocol/pair.ts'
import { sessions } from './sessions.ts'
import { number, type RowOf, Selection, Table, text } from './table.ts'

/** Notices for teams. Times are milliseconds since the epoch. */
export const notices = new Table('notices', {
  id: number(),
  ...sessions.pick('from', 'to', 'thread'),
  text: text(),
  leftAt: number(),
  expiresAt: number(),
  /** The turn that carries the notice; null if the notice is still waiting for a turn. */
  turn: text<string | null>(),
  idempotencyKey: text<string | null>(),
})

const shown = new Selection(notices.pick('id', 'from', 'to', 'thread', 'text', 'leftAt', 'expiresAt'))

const counts = new Selection({
  total: number('COUNT(*)'),
  pending: number('COALESCE(SUM(turn IS NULL AND expires_at > ?1), 0)'),
})

export interface NoticeRow extends RowOf<typeof shown> {}

export type NewNotice = Omit<NoticeRow, 'id'> & { readonly idempotencyKey: string | null }

/** The table `notices`. The ledger attaches notices to a turn, in the transaction of the turn's first delivery. */
export class Notices {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      leave: notices.insertReturning(database, notices.omit('id', 'turn'), shown),
      // The pair is that of the turn's conversation, including its role.
      bring: database.prepare(
        `INSERT INTO notices (from_team, to_team, thread, text, left_at, expires_at, turn)
         SELECT from_team, to_team, thread, ?2, ?3, ?3, ?1 FROM team_sessions
         WHERE id = (SELECT session FROM turns WHERE id = ?1)`,
      ),
      byKey: shown.select(database, 'FROM notices WHERE idempotency_key = ?'),
      ofTurn: shown.select(database, 'FROM notices WHERE turn = ? ORDER BY id'),
      waiting: database.prepare(
        `SELECT COUNT(*) AS count FROM notices
         WHERE to_team = ? AND from_team = ? AND thread = ? AND turn IS NULL AND expires_at > ?`,
      ),
      counts: counts.select(
        database,
        'FROM notices WHERE to_team = ?2 AND (?3 IS NULL OR from_team = ?3 OR to_team = ?3)',
      ),
    }
  }

  leave(notice: NewNotice): NoticeRow {
    return this.#statements.leave.get(notice)
  }

  /** Attaches notices to the turn with which they came from another host. */
  bring(turn: string, notices: readonly Pick<NoticeRow, 'text' | 'leftAt'>[]): void {
    for (const { text, leftAt } of notices) this.#statements.bring.run(turn, text, leftAt)
  }

  byKey(idempotencyKey: string): NoticeRow | undefined {
    return this.#statements.byKey.get(idempotencyKey)
  }

  /** The notices attached to this turn, in the order in which they were left. */
  ofTurn(turn: string): NoticeRow[] {
    return this.#statements.ofTurn.all(turn)
  }

  /** How many notices wait for the pair's next turn. */
  waiting({ from, to, thread }: Pair, now: number): number {
    return Number(this.#statements.waiting.get(to, from, thread, now)?.['count'])
  }

  /**
   * How many notices have ever been left for a team, and how many are waiting. With `participant`, counts only notices
   * by or for that participant.
   */
  countsOf(team: string, participant: string | undefined, now: number): RowOf<typeof counts> {
    return this.#statements.counts.get(now, team, participant ?? null)!
  }
}
