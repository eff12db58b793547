import type { Store } from '../../../platform/store/store.ts'
import { number, type RowOf, Table, text } from '../../../platform/store/table.ts'

/** Suggestions that a person has applied or refused. */
export const suggestions = new Table('suggestions', {
  id: text(),
  team: text(),
  kind: text<'claude-md' | 'rule'>(),
  /** The question, or the tool. */
  subject: text(),
  decision: text<'applied' | 'refused'>(),
  /** Milliseconds since the epoch. */
  decidedAt: number(),
})

export interface DecidedSuggestion extends RowOf<typeof suggestions> {}

/** The table `suggestions`. */
export class SuggestionRows {
  readonly #statements

  constructor(store: Store) {
    this.#statements = {
      add: suggestions.insert(
        store,
        suggestions.columns,
        'ON CONFLICT (id) DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at',
      ),
      all: suggestions.select(store, 'FROM suggestions ORDER BY decided_at DESC'),
    }
  }

  add(suggestion: DecidedSuggestion): void {
    this.#statements.add.run(suggestion)
  }

  /** The latest first. */
  all(): DecidedSuggestion[] {
    return this.#statements.all.all()
  }
}
