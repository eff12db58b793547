import { Pruning } from '../../../platform/store/pruning.ts'
import type { Store } from '../../../platform/store/store.ts'

/** The table `turn_traces`. */
export class TurnTraces {
  readonly #store: Store
  readonly #pruning: Pruning
  readonly #add
  readonly #of

  constructor(store: Store) {
    this.#store = store
    this.#pruning = new Pruning(store, 'turn_traces', { mostRows: 100_000, oldestMs: 90 * 86_400_000 })
    this.#of = store.prepare('SELECT traceparent FROM turn_traces WHERE turn = ?')
    this.#add = store.prepare(
      'INSERT INTO turn_traces (turn, traceparent, noted_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    )
  }

  /** Does not wait for the disk: losing this in a power cut does no harm. */
  add(turn: string, traceparent: string, at: number): void {
    this.#store.withoutSync(() => {
      this.#add.run(turn, traceparent, at)
      this.#pruning.added(at)
    })
  }

  of(turn: string): string | undefined {
    return this.#of.get(turn)?.['traceparent'] as string | undefined
  }
}
