import type { DatabaseSync } from 'node:sqlite'

/** Which turn retries which failed turn. */
export class Retries {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: database.prepare('INSERT INTO retries (turn, failed) VALUES (?, ?)'),
      of: database.prepare('SELECT turn FROM retries WHERE failed = ?'),
    }
  }

  /** Part of the transaction that accepts the turn. */
  add(turn: string, failed: string): void {
    this.#statements.add.run(turn, failed)
  }

  /** The turn that retries it. */
  of(failed: string): string | undefined {
    return this.#statements.of.get(failed)?.['turn'] as string | undefined
  }
}
