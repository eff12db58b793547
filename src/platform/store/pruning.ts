import type { Store } from './store.ts'

interface Bounds {
  readonly mostRows: number
  readonly oldestMs: number
}

/** How many rows are added before the next deletion, which deletes up to twice as many. */
const atOnce = 100

/** Limits the size of a table with the columns `turn` and `noted_at` by deleting its oldest rows. */
export class Pruning {
  readonly #oldestMs: number
  readonly #statements
  #added = atOnce - 1

  constructor(
    store: Store,
    table: 'answer_states' | 'kept_answers' | 'turn_traces' | 'watched_answers',
    { mostRows, oldestMs }: Bounds,
  ) {
    this.#oldestMs = oldestMs
    // Deletes up to twice as many rows as were added, so that a table beyond its bounds shrinks.
    const oldest = `SELECT turn FROM ${table} WHERE noted_at < ? ORDER BY noted_at LIMIT ${2 * atOnce}`
    this.#statements = {
      bound: store.prepare(`SELECT noted_at AS at FROM ${table} ORDER BY noted_at DESC LIMIT 1 OFFSET ${mostRows - 1}`),
      remove: store.prepare(`DELETE FROM ${table} WHERE turn IN (${oldest}) RETURNING turn`),
    }
  }

  /** Call after a row has been added. Returns the turns whose rows were deleted. */
  added(now: number): readonly string[] {
    this.#added += 1
    if (this.#added < atOnce) return []
    this.#added = 0
    const bound = Number(this.#statements.bound.get()?.['at'] ?? 0)
    const removed = this.#statements.remove.all(Math.max(bound, now - this.#oldestMs))
    return removed.map(({ turn }) => String(turn))
  }
}
