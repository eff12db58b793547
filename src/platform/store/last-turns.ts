import type { DatabaseSync } from 'node:sqlite'
import { flag, type RowOf, Selection, text } from './table.ts'
import { turns } from './turns.ts'

const maxSummaryCharacters = 300
const isDismissed = 'EXISTS (SELECT 1 FROM dismissed_failures WHERE turn = turns.id)'

const lastTurns = new Selection({
  ...turns.pick('id', 'outcome', 'reason', 'detail', 'acceptedAt', 'dispatchedAt', 'settledAt'),
  message: text(`substr(message, 1, ${maxSummaryCharacters})`),
  /** The answer, or the partial answer. */
  text: text<string | null>(`substr(COALESCE(answer, partial), 1, ${maxSummaryCharacters})`),
  /** Whether a person has dismissed the turn's failure. */
  isDismissed: flag(isDismissed),
})

/** The newest turn of a conversation, with its texts cut short for a list. */
export interface LastTurn extends RowOf<typeof lastTurns> {}

/** The newest turns of conversations for lists, and the conversations that end with a failure. */
export class LastTurns {
  readonly #statements

  constructor(database: DatabaseSync) {
    const failures = `FROM turns INDEXED BY turns_failed WHERE outcome IN ('failed', 'timed_out', 'in_doubt')`
    this.#statements = {
      of: lastTurns.select(database, 'FROM turns WHERE session = ? ORDER BY sequence DESC LIMIT 1'),
      // Jumps in the index from one conversation with failures to the next, because one conversation may have very many
      // failures.
      failed: database.prepare(
        `WITH RECURSIVE failing (session) AS (
           SELECT (SELECT session ${failures} ORDER BY session LIMIT 1)
           UNION ALL
           SELECT (SELECT session ${failures} AND session > failing.session ORDER BY session LIMIT 1) FROM failing
           WHERE failing.session IS NOT NULL
         ), failures AS (
           SELECT (SELECT sequence ${failures} AND session = failing.session ORDER BY sequence DESC LIMIT 1) AS sequence
           FROM failing WHERE session IS NOT NULL
         )
         SELECT team_sessions.session_id AS sessionId FROM failures
         CROSS JOIN turns ON turns.sequence = failures.sequence JOIN team_sessions ON team_sessions.id = turns.session
         WHERE team_sessions.status <> 'archived' AND NOT ${isDismissed}
           AND NOT EXISTS (SELECT 1 FROM turns AS later WHERE later.session = turns.session AND later.sequence > turns.sequence)
         ORDER BY turns.sequence DESC LIMIT ?`,
      ),
      dismiss: database.prepare(
        'INSERT INTO dismissed_failures (turn, dismissed_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
      ),
      restore: database.prepare('DELETE FROM dismissed_failures WHERE turn = ?'),
    }
  }

  /** `session` is the row id. */
  of(session: number): LastTurn | undefined {
    return this.#statements.of.get(session)
  }

  /** Claude Code's ids of the live conversations whose newest turn has failed and was not dismissed; latest first. */
  failed(limit: number): readonly string[] {
    return this.#statements.failed.all(limit).map(({ sessionId }) => String(sessionId))
  }

  dismiss(turn: string, at: number): void {
    this.#statements.dismiss.run(turn, at)
  }

  /** Undoes a dismissal. */
  restore(turn: string): void {
    this.#statements.restore.run(turn)
  }
}
