import type { DatabaseSync } from 'node:sqlite'
import type { BackgroundCommand, Outcome, Reason, Usage } from '../../base/protocol/turn.ts'
import type { CompactionRow } from './compactions.ts'
import { type TurnRow, toTurn } from './ledger.ts'
import { turnColumns } from './ledger-statements.ts'

/** A turn with its texts cut for a list; `messageLength` and `textLength` are the lengths of the whole texts, bytes. */
export interface ShortTurn
  extends Pick<
    TurnRow,
    | 'sequence'
    | 'id'
    | 'message'
    | 'attachments'
    | 'state'
    | 'acceptedAt'
    | 'dispatchedAt'
    | 'startedAt'
    | 'settledAt'
    | 'contextReset'
  > {
  readonly messageLength: number
  /** The turn that it retries, and the turn that retries it. */
  readonly retryOf: string | null
  readonly retriedBy: string | null
  /** The answer, or the partial answer. */
  readonly text: string | null
  readonly textLength: number
  readonly parentTurn: string | null
  readonly outcome: Outcome | null
  readonly reason: Reason | null
  readonly detail: string | null
  readonly usage: Usage | null
  /** Commands that still ran in the background when the turn ended; null: none. */
  readonly background: readonly BackgroundCommand[] | null
  /** The value that answers an ask with a schema: JSON, cut like the texts. */
  readonly value: string | null
}

/** The turns of one conversation, a page at a time. Read-only. */
export class SessionTurns {
  readonly #statements

  constructor(database: DatabaseSync) {
    const page = `
      SELECT sequence, id, substr(message, 1, ?2) AS message, octet_length(message) AS messageLength,
        substr(COALESCE(answer, partial), 1, ?2) AS text, octet_length(COALESCE(answer, partial, '')) AS textLength,
        attachments, parent_turn AS parentTurn, state, outcome, reason, detail, usage, background, substr(value, 1, ?2) AS value, context_reset AS contextReset,
        (SELECT failed FROM retries WHERE turn = turns.id) AS retryOf,
        (SELECT turn FROM retries WHERE failed = turns.id) AS retriedBy,
        accepted_at AS acceptedAt, dispatched_at AS dispatchedAt, started_at AS startedAt, settled_at AS settledAt
      FROM turns WHERE sequence IN (
        SELECT sequence FROM turns WHERE session = ?1 ORDER BY sequence LIMIT ?3 OFFSET ?4
      ) ORDER BY sequence`
    this.#statements = {
      page: database.prepare(page),
      count: database.prepare('SELECT COUNT(*) AS count FROM turns WHERE session = ?'),
      turn: database.prepare(`SELECT ${turnColumns} FROM turns WHERE id = ?`),
      deliveries: database.prepare('SELECT uuid FROM deliveries WHERE turn = ? ORDER BY sequence'),
      before: database.prepare(
        `SELECT COUNT(*) AS count FROM turns AS one JOIN turns AS earlier ON earlier.session = one.session
           AND earlier.sequence < one.sequence WHERE one.id = ?1 AND one.session = ?2
         HAVING EXISTS (SELECT 1 FROM turns WHERE id = ?1 AND session = ?2)`,
      ),
      compactions: database.prepare(
        `SELECT session, at, before_tokens AS beforeTokens, after_tokens AS afterTokens, failure FROM compactions
         WHERE session = ? ORDER BY id DESC LIMIT ?`,
      ),
    }
  }

  /** At most `limit` turns after the first `offset` ones, the oldest first. Texts are cut to `longest` characters. */
  page(session: number, offset: number, limit: number, longest: number): ShortTurn[] {
    const rows = this.#statements.page.all(session, longest, limit, offset)
    return rows.map((row) => ({
      ...(row as unknown as ShortTurn),
      usage: typeof row['usage'] === 'string' ? JSON.parse(row['usage']) : null,
      attachments: typeof row['attachments'] === 'string' ? JSON.parse(row['attachments']) : null,
      background: typeof row['background'] === 'string' ? JSON.parse(row['background']) : null,
    }))
  }

  turn(id: string): TurnRow | undefined {
    const row = this.#statements.turn.get(id)
    return row && toTurn(row)
  }

  /** The uuids of the turn's deliveries, in order. */
  deliveriesOf(turn: string): string[] {
    return this.#statements.deliveries.all(turn).map(({ uuid }) => String(uuid))
  }

  count(session: number): number {
    return Number(this.#statements.count.get(session)?.['count'])
  }

  /** How many turns of the session are before this one; undefined when it is not of the session. */
  before(turn: string, session: number): number | undefined {
    return this.#statements.before.get(turn, session)?.['count'] as number | undefined
  }

  /** The `limit` latest compactions, the oldest first. */
  compactions(session: number, limit: number): CompactionRow[] {
    return (this.#statements.compactions.all(session, limit) as unknown as CompactionRow[]).toReversed()
  }
}
