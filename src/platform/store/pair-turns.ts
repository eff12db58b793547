import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Outcome } from '../../base/protocol/turn.ts'
import { type TurnRow, toTurn } from './ledger.ts'
import { turnColumns } from './ledger-statements.ts'

/** A turn with the beginnings of its texts, and how long these are in UTF-8; without its schema and value. */
export interface BegunTurn extends TurnRow {
  readonly messageBytes: number
  readonly answerBytes: number | null
  readonly partialBytes: number | null
}

/** `?6`: characters of each text. */
const beginnings = turnColumns
  .replace(
    /\b(message|answer|partial)\b/g,
    (text) => `substr(${text}, 1, ?6) AS ${text}, octet_length(${text}) AS ${text}Bytes`,
  )
  .replace('response_schema AS', 'NULL AS')
  .replace(/\bvalue\b/, 'NULL AS value')

/** The turns of a pair in all its conversations, archived ones included. Read-only. */
export class PairTurns {
  readonly #statements

  constructor(database: DatabaseSync) {
    const ofPair = `session IN (SELECT id FROM team_sessions WHERE from_team = ?1 AND to_team = ?2 AND thread = ?3)`
    this.#statements = {
      // The page is found in the index; only its own rows, which may be long, are read.
      page: database.prepare(
        `SELECT ${beginnings} FROM turns WHERE sequence IN (
           SELECT sequence FROM turns WHERE ${ofPair} AND sequence < ?4 ORDER BY sequence DESC LIMIT ?5
         ) ORDER BY sequence DESC`,
      ),
      counts: database.prepare(`SELECT outcome, COUNT(*) AS count FROM turns WHERE ${ofPair} GROUP BY outcome`),
    }
  }

  /** At most `limit` turns with a sequence number below `before`, the newest first. `longest`: characters of a text. */
  page({ from, to, thread }: Pair, before: number, limit: number, longest: number): BegunTurn[] {
    return this.#statements.page.all(from, to, thread, before, limit, longest).map(toTurn) as BegunTurn[]
  }

  /** The number of turns per outcome; `null` counts those that have not ended. */
  counts({ from, to, thread }: Pair): ReadonlyMap<Outcome | null, number> {
    const rows = this.#statements.counts.all(from, to, thread) as { outcome: Outcome | null; count: number }[]
    return new Map(rows.map(({ outcome, count }) => [outcome, count]))
  }
}
