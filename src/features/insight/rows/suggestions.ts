import type { Store } from '../../../platform/store/store.ts'

/** A suggestion that a person accepted or refused. */
export interface DecidedSuggestion {
  readonly id: string
  readonly team: string
  readonly kind: 'claude-md' | 'rule'
  /** The question, or the tool. */
  readonly subject: string
  readonly decision: 'applied' | 'refused'
  /** Milliseconds since the epoch. */
  readonly decidedAt: number
}

/** The table `suggestions`. */
export class SuggestionRows {
  readonly #statements

  constructor(store: Store) {
    this.#statements = {
      add: store.prepare(
        `INSERT INTO suggestions (id, team, kind, subject, decision, decided_at) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at`,
      ),
      all: store.prepare(
        'SELECT id, team, kind, subject, decision, decided_at AS decidedAt FROM suggestions ORDER BY decided_at DESC',
      ),
    }
  }

  add({ id, team, kind, subject, decision, decidedAt }: DecidedSuggestion): void {
    this.#statements.add.run(id, team, kind, subject, decision, decidedAt)
  }

  /** The latest first. */
  all(): DecidedSuggestion[] {
    return this.#statements.all.all() as unknown as DecidedSuggestion[]
  }
}
