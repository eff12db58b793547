import type { DatabaseSync } from 'node:sqlite'
import type { Ledger } from './ledger.ts'

/** How many messages one participant lately sent another, over all their conversations. */
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
/** Only this many of the conversations used last are counted. */
const looked = 5000

/** Who asked whom lately. Turns are counted in an index, and only a few of their rows are read. Read-only. */
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
