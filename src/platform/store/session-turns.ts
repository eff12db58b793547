import type { DatabaseSync } from 'node:sqlite'
import { attempt, type CompactionRow } from './compactions.ts'
import type { TurnRow } from './ledger.ts'
import { personMs } from './person-time.ts'
import { retryColumns } from './retries.ts'
import { number, type RowOf, Selection, text } from './table.ts'
import { turns } from './turns.ts'

/** `?2`: the number of characters to read of each text. */
const short = new Selection({
  ...turns.pick('sequence', 'id', 'attachments', 'parentTurn', 'state', 'outcome', 'reason', 'detail', 'usage'),
  ...turns.pick('background', 'contextReset', 'acceptedAt', 'dispatchedAt', 'startedAt', 'settledAt'),
  message: text('substr(message, 1, ?2)'),
  messageLength: number('octet_length(message)'),
  /** The answer, or the partial answer. */
  text: text<string | null>('substr(COALESCE(answer, partial), 1, ?2)'),
  textLength: number(`octet_length(COALESCE(answer, partial, ''))`),
  /** How long questions about its tools waited for people, milliseconds; null if nobody was asked. */
  personMs: number<number | null>(personMs),
  /** The value that answers an ask with a schema, as JSON that is cut short like the texts. */
  value: text<string | null>('substr(value, 1, ?2)'),
  ...retryColumns,
})

/**
 * A turn with its texts cut for a list; `messageLength` and `textLength` are the lengths of the whole texts, in bytes.
 */
export interface ShortTurn extends RowOf<typeof short> {}

/** The turns of one conversation, a page at a time. Read-only. */
export class SessionTurns {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      page: short.select(
        database,
        `FROM turns WHERE sequence IN (
           SELECT sequence FROM turns WHERE session = ?1 ORDER BY sequence LIMIT ?3 OFFSET ?4
         ) ORDER BY sequence`,
      ),
      count: database.prepare('SELECT COUNT(*) AS count FROM turns WHERE session = ?'),
      turn: turns.select(database, 'FROM turns WHERE id = ?'),
      deliveries: database.prepare('SELECT uuid FROM deliveries WHERE turn = ? ORDER BY sequence'),
      before: database.prepare(
        `SELECT COUNT(*) AS count FROM turns AS one JOIN turns AS earlier ON earlier.session = one.session
           AND earlier.sequence < one.sequence WHERE one.id = ?1 AND one.session = ?2
         HAVING EXISTS (SELECT 1 FROM turns WHERE id = ?1 AND session = ?2)`,
      ),
      compactions: attempt.select(database, 'FROM compactions WHERE session = ? ORDER BY id DESC LIMIT ?'),
    }
  }

  /** At most `limit` turns after the first `offset` ones, oldest first. Texts are cut to `longest` characters. */
  page(session: number, offset: number, limit: number, longest: number): ShortTurn[] {
    return this.#statements.page.all(session, longest, limit, offset)
  }

  turn(id: string): TurnRow | undefined {
    return this.#statements.turn.get(id)
  }

  /** The uuids of the turn's deliveries, in order. */
  deliveriesOf(turn: string): string[] {
    return this.#statements.deliveries.all(turn).map(({ uuid }) => String(uuid))
  }

  count(session: number): number {
    return Number(this.#statements.count.get(session)?.['count'])
  }

  /** How many turns of the session come before this one; undefined if the turn does not belong to the session. */
  before(turn: string, session: number): number | undefined {
    return this.#statements.before.get(turn, session)?.['count'] as number | undefined
  }

  /** The `limit` latest compactions, oldest first. */
  compactions(session: number, limit: number): CompactionRow[] {
    return this.#statements.compactions.all(session, limit).toReversed()
  }
}
