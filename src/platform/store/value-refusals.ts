import type { DatabaseSync } from 'node:sqlite'

/** The table `value_refusals`: the mistakes of each value that an agent gave and Iris refused. */
export class ValueRefusals {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: database.prepare('INSERT OR IGNORE INTO value_refusals (turn, try, errors) VALUES (?, ?, ?)'),
      of: database.prepare('SELECT errors FROM value_refusals WHERE turn = ? ORDER BY try'),
    }
  }

  add(turn: string, tried: number, errors: readonly string[]): void {
    this.#statements.add.run(turn, tried, JSON.stringify(errors))
  }

  of(turn: string): (readonly string[])[] {
    return this.#statements.of.all(turn).map(({ errors }) => JSON.parse(String(errors)))
  }
}
