import type { DatabaseSync } from 'node:sqlite'

/** A message that joined a running turn. */
export interface SteerRow {
  readonly uuid: string
  readonly turn: string
  readonly message: string
  readonly idempotencyKey: string | null
  /** Who sent it in a chat, as JSON; null: the asker of the turn. */
  readonly sender: string | null
  /** Milliseconds since the epoch. */
  readonly joinedAt: number
}

const columns = 'uuid, turn, message, idempotency_key AS idempotencyKey, joined_at AS joinedAt, sender'

/** The table `steers`: messages that joined a running turn instead of waiting for its end. */
export class Steers {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: database.prepare(
        'INSERT INTO steers (uuid, turn, message, idempotency_key, joined_at, sender) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      of: database.prepare(`SELECT ${columns} FROM steers WHERE turn = ? ORDER BY joined_at, uuid`),
      byKey: database.prepare(`SELECT ${columns} FROM steers WHERE idempotency_key = ?`),
    }
  }

  /** Commit it before Claude Code gets the message. */
  add({ uuid, turn, message, idempotencyKey, joinedAt, sender }: SteerRow): void {
    this.#statements.add.run(uuid, turn, message, idempotencyKey, joinedAt, sender)
  }

  /** Those of a turn, the first one first. */
  of(turn: string): readonly SteerRow[] {
    return this.#statements.of.all(turn) as unknown as SteerRow[]
  }

  byKey(idempotencyKey: string): SteerRow | undefined {
    return this.#statements.byKey.get(idempotencyKey) as unknown as SteerRow | undefined
  }
}
