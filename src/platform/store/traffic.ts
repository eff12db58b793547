import type { DatabaseSync } from 'node:sqlite'
import type { Ledger } from './ledger.ts'

/** How much one party asked another lately, over all their conversations. */
export interface Traffic {
  readonly from: string
  readonly to: string
  /** Messages. */
  readonly lastHour: number
  readonly lastDay: number
  /** Milliseconds since the epoch. */
  readonly lastAt: number
}

const hourMs = 3_600_000
/** So many of the conversations used last are looked at. */
const looked = 5000

/** Who asked whom lately. Counted in an index: of the turns themselves only a few are read. Reads only. */
export class TrafficRows {
  readonly #ledger: Pick<Ledger, 'firstSince'>
  readonly #statement

  constructor(database: DatabaseSync, ledger: Pick<Ledger, 'firstSince'>) {
    this.#ledger = ledger
    const count = (first: string): string =>
      `SUM((SELECT COUNT(*) FROM turns WHERE session = used.id AND sequence >= ${first}))`
    this.#statement = database.prepare(
      `SELECT from_team AS "from", to_team AS "to", ${count('?2')} AS lastHour, ${count('?3')} AS lastDay,
         MAX(last_used_at) AS lastAt
       FROM (SELECT id, from_team, to_team, last_used_at FROM team_sessions WHERE last_used_at >= ?1
             ORDER BY last_used_at DESC LIMIT ${looked}) AS used
       GROUP BY from_team, to_team`,
    )
  }

  /** In the hour and the day before `now`, milliseconds since the epoch. */
  before(now: number): Traffic[] {
    const yesterday = now - 24 * hourMs
    const firsts = [this.#ledger.firstSince(now - hourMs), this.#ledger.firstSince(yesterday)]
    return this.#statement.all(yesterday, ...firsts) as unknown as Traffic[]
  }
}
