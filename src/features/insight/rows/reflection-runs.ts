import type { Store } from '../../../platform/store/store.ts'
import { number, type RowOf, Table } from '../../../platform/store/table.ts'

/** Weekly reflections. `at`: milliseconds since the epoch. */
export const reflectionRuns = new Table('reflection_runs', {
  at: number(),
  /** How many messages were read. */
  asks: number(),
  suggestions: number(),
})

export interface ReflectionRun extends RowOf<typeof reflectionRuns> {}

const maxRows = 200

/** The table `reflection_runs`. */
export class ReflectionRuns {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#statements = {
      add: reflectionRuns.insert(store, reflectionRuns.columns, 'ON CONFLICT DO NOTHING'),
      prune: store.prepare(
        `DELETE FROM reflection_runs WHERE at NOT IN (SELECT at FROM reflection_runs ORDER BY at DESC LIMIT ${maxRows})`,
      ),
      last: reflectionRuns.select(store, 'FROM reflection_runs ORDER BY at DESC LIMIT 1'),
    }
  }

  /** Written without a disk sync: a power cut may lose the last rows. */
  add(run: ReflectionRun): void {
    this.#store.withoutSync(() => {
      this.#statements.add.run(run)
      this.#statements.prune.run()
    })
  }

  last(): ReflectionRun | undefined {
    return this.#statements.last.get()
  }
}
