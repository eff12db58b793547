import type { Store } from './store.ts'

/** The table `turn_traces`. */
export class TurnTraces {
  readonly #store: Store
  readonly #add
  readonly #of

  constructor(store: Store) {
    this.#store = store
    this.#of = store.prepare('SELECT traceparent FROM turn_traces WHERE turn = ?')
    this.#add = store.prepare('INSERT INTO turn_traces (turn, traceparent) VALUES (?, ?) ON CONFLICT DO NOTHING')
  }

  /** Nothing here must survive a power cut at once. */
  add(turn: string, traceparent: string): void {
    this.#store.withoutSync(() => this.#add.run(turn, traceparent))
  }

  of(turn: string): string | undefined {
    return this.#of.get(turn)?.['traceparent'] as string | undefined
  }
}
