import type { DatabaseSync } from 'node:sqlite'
import { number, type RowOf, Table, text } from './table.ts'

/** Messages that joined running turns. */
export const steers = new Table('steers', {
  uuid: text(),
  turn: text(),
  message: text(),
  idempotencyKey: text<string | null>(),
  /** Milliseconds since the epoch. */
  joinedAt: number(),
  /** Who sent the message in a chat, as JSON; null if the asker of the turn sent it. */
  sender: text<string | null>(),
})

export interface SteerRow extends RowOf<typeof steers> {}

/** The table `steers`: messages that joined a running turn instead of waiting for its end. */
export class Steers {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: steers.insert(database, steers.columns),
      of: steers.select(database, 'FROM steers WHERE turn = ? ORDER BY joined_at, uuid'),
      byKey: steers.select(database, 'FROM steers WHERE idempotency_key = ?'),
    }
  }

  /** Commit this row before Claude Code gets the message. */
  add(steer: SteerRow): void {
    this.#statements.add.run(steer)
  }

  /** The messages that joined a turn, in order. */
  of(turn: string): readonly SteerRow[] {
    return this.#statements.of.all(turn)
  }

  byKey(idempotencyKey: string): SteerRow | undefined {
    return this.#statements.byKey.get(idempotencyKey)
  }
}
