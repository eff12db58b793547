import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Outcome } from '../../base/protocol/turn.ts'
import type { TurnRow } from './ledger.ts'
import { json, number, type RowOf, Selection, text } from './table.ts'
import { turns } from './turns.ts'

/** `?6`: the number of characters to read of each text. */
const begun = new Selection({
  ...turns.columns,
  message: text('substr(message, 1, ?6)'),
  messageBytes: number('octet_length(message)'),
  answer: text<string | null>('substr(answer, 1, ?6)'),
  answerBytes: number<number | null>('octet_length(answer)'),
  partial: text<string | null>('substr(partial, 1, ?6)'),
  partialBytes: number<number | null>('octet_length(partial)'),
  responseSchema: json<TurnRow['responseSchema']>('NULL'),
  value: text<string | null>('NULL'),
})

/** A turn with the beginnings of its texts and the full lengths of the texts in UTF-8, without its schema and value. */
export interface BegunTurn extends RowOf<typeof begun> {}

const counted = new Selection({ ...turns.pick('outcome'), count: number('COUNT(*)') })

/** The turns of a pair in all its conversations, including archived ones. Read-only. */
export class PairTurns {
  readonly #statements

  constructor(database: DatabaseSync) {
    const ofPair = `session IN (SELECT id FROM team_sessions WHERE from_team = ?1 AND to_team = ?2 AND thread = ?3)`
    this.#statements = {
      // The page is found in the index; only its own rows, which may be long, are read.
      page: begun.select(
        database,
        `FROM turns WHERE sequence IN (
           SELECT sequence FROM turns WHERE ${ofPair} AND sequence < ?4 ORDER BY sequence DESC LIMIT ?5
         ) ORDER BY sequence DESC`,
      ),
      counts: counted.select(database, `FROM turns WHERE ${ofPair} GROUP BY outcome`),
    }
  }

  /**
   * At most `limit` turns with a sequence number below `before`, newest first. `longest`: the number of characters at
   * which each text is cut.
   */
  page({ from, to, thread }: Pair, before: number, limit: number, longest: number): BegunTurn[] {
    return this.#statements.page.all(from, to, thread, before, limit, longest)
  }

  /** The number of turns per outcome; `null` counts those that have not ended. */
  counts({ from, to, thread }: Pair): ReadonlyMap<Outcome | null, number> {
    const rows = this.#statements.counts.all(from, to, thread)
    return new Map(rows.map(({ outcome, count }) => [outcome, count]))
  }
}
