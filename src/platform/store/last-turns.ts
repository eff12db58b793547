import type { DatabaseSync } from 'node:sqlite'
import type { Outcome, Reason } from '../../base/protocol/turn.ts'

/** The newest turn of a conversation, its texts cut for a list. */
export interface LastTurn {
  readonly id: string
  readonly message: string
  /** The answer, or the partial answer. */
  readonly text: string | null
  readonly outcome: Outcome | null
  readonly reason: Reason | null
  readonly detail: string | null
  readonly acceptedAt: number
  readonly dispatchedAt: number | null
  readonly settledAt: number | null
  /** A person has dismissed its failure. */
  readonly isDismissed: boolean
}

const longestText = 300

/** The newest turns of conversations for lists, and the conversations that end with a failure. */
export class LastTurns {
  readonly #statements

  constructor(database: DatabaseSync) {
    const isDismissed = 'EXISTS (SELECT 1 FROM dismissed_failures WHERE turn = turns.id)'
    const failures = `FROM turns INDEXED BY turns_failed WHERE outcome IN ('failed', 'timed_out', 'in_doubt')`
    this.#statements = {
      of: database.prepare(
        `SELECT id, substr(message, 1, ${longestText}) AS message, substr(COALESCE(answer, partial), 1, ${longestText}) AS text,
           outcome, reason, detail, accepted_at AS acceptedAt, dispatched_at AS dispatchedAt, settled_at AS settledAt,
           ${isDismissed} AS isDismissed
         FROM turns WHERE session = ? ORDER BY sequence DESC LIMIT 1`,
      ),
      // Goes from one conversation with a failure to the next in the index: a conversation may have very many failures.
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
    const row = this.#statements.of.get(session)
    return row && ({ ...row, isDismissed: row['isDismissed'] === 1 } as unknown as LastTurn)
  }

  /** Claude Code's ids of the live conversations whose newest turn failed and is not dismissed, the latest first. */
  failed(limit: number): readonly string[] {
    return this.#statements.failed.all(limit).map(({ sessionId }) => String(sessionId))
  }

  dismiss(turn: string, at: number): void {
    this.#statements.dismiss.run(turn, at)
  }

  /** It was dismissed by mistake. */
  restore(turn: string): void {
    this.#statements.restore.run(turn)
  }
}
