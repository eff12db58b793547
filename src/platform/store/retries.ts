import type { DatabaseSync } from 'node:sqlite'
import { text } from './table.ts'

/** For a SELECT from `turns`: the turn that a turn retries, and the turn that retries it. */
export const retryColumns = {
  retryOf: text<string | null>('(SELECT failed FROM retries WHERE turn = turns.id)'),
  retriedBy: text<string | null>('(SELECT turn FROM retries WHERE failed = turns.id)'),
}

/** Records which turn retries which failed turn. */
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

  /** The turn that retries the failed turn. */
  of(failed: string): string | undefined {
    return this.#statements.of.get(failed)?.['turn'] as string | undefined
  }
}
