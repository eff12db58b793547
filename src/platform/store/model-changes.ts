import type { OtherModel } from '../../base/protocol/turn.ts'
import type { Store } from './store.ts'

/** The table `model_changes`. */
export class ModelChangeRows {
  readonly #statements

  constructor(store: Store) {
    this.#statements = {
      put: store.prepare(
        `INSERT INTO model_changes (turn, model, configured, why) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET model = excluded.model, why = COALESCE(excluded.why, why)`,
      ),
      of: store.prepare(
        'SELECT turn, model, configured, why FROM model_changes WHERE turn IN (SELECT value FROM json_each(?))',
      ),
      leftBy: store.prepare(
        `SELECT configured FROM model_changes WHERE turn =
           (SELECT id FROM turns WHERE session = ? AND started_at IS NOT NULL ORDER BY sequence DESC LIMIT 1)`,
      ),
    }
  }

  put(turn: string, { model, configured, why }: OtherModel): void {
    this.#statements.put.run(turn, model, configured, why ?? null)
  }

  /**
   * By turn id, the model that answered instead of the requested one. Leaves out turns that the requested model
   * answered.
   */
  of(turns: readonly string[]): ReadonlyMap<string, OtherModel> {
    const rows = this.#statements.of.all(JSON.stringify(turns))
    return new Map(
      rows.map(({ turn, model, configured, why }) => [
        String(turn),
        {
          model: String(model),
          configured: String(configured),
          ...(typeof why === 'string' && { why }),
        },
      ]),
    )
  }

  /**
   * The session's model, if a different model answered its last message; a resumed process would continue with that
   * different model.
   */
  leftBy(session: number): string | undefined {
    return this.#statements.leftBy.get(session)?.['configured'] as string | undefined
  }
}
