import type { DatabaseSync } from 'node:sqlite'

/** Which turn tries which failed one again. */
export class Retries {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: database.prepare('INSERT INTO retries (turn, failed) VALUES (?, ?)'),
      of: database.prepare('SELECT turn FROM retries WHERE failed = ?'),
    }
  }

  /** Part of the commit that accepts the turn. */
  add(turn: string, failed: string): void {
    this.#statements.add.run(turn, failed)
  }

  /** The turn that tries it again. */
  of(failed: string): string | undefined {
    return this.#statements.of.get(failed)?.['turn'] as string | undefined
  }
}
