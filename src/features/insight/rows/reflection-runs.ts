import type { Store } from '../../../platform/store/store.ts'

/** A weekly reflection. `at`: milliseconds since the epoch. */
export interface ReflectionRun {
  readonly at: number
  /** Messages read. */
  readonly asks: number
  readonly suggestions: number
}

const mostRows = 200

/** The table `reflection_runs`. */
export class ReflectionRuns {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#statements = {
      add: store.prepare('INSERT INTO reflection_runs (at, asks, suggestions) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
      prune: store.prepare(
        `DELETE FROM reflection_runs WHERE at NOT IN (SELECT at FROM reflection_runs ORDER BY at DESC LIMIT ${mostRows})`,
      ),
      last: store.prepare('SELECT at, asks, suggestions FROM reflection_runs ORDER BY at DESC LIMIT 1'),
    }
  }

  /** Nothing here must survive a power cut at once. */
  add({ at, asks, suggestions }: ReflectionRun): void {
    this.#store.withoutSync(() => {
      this.#statements.add.run(at, asks, suggestions)
      this.#statements.prune.run()
    })
  }

  last(): ReflectionRun | undefined {
    return this.#statements.last.get() as ReflectionRun | undefined
  }
}
