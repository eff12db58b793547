import type { DatabaseSync } from 'node:sqlite'
import type { Ledger } from './ledger.ts'
import { sessions } from './sessions.ts'
import { number, type RowOf, Selection } from './table.ts'

const hourMs = 3_600_000
/** Only this many of the most recently used conversations are counted. */
const looked = 5000

const count = (first: string): string =>
  `SUM((SELECT COUNT(*) FROM turns WHERE session = used.id AND sequence >= ${first}))`

/** How many messages one participant recently sent another, over all their conversations. */
const traffic = new Selection({
  ...sessions.pick('from', 'to'),
  /** How many messages were sent in this time. */
  lastHour: number(count('?2')),
  lastDay: number(count('?3')),
  /** Milliseconds since the epoch. */
  lastAt: number('MAX(last_used_at)'),
})

export interface Traffic extends RowOf<typeof traffic> {}

/** Counts recent asks between teams. Counts turns in an index and reads only a few of their rows. Read-only. */
export class TrafficRows {
  readonly #ledger: Pick<Ledger, 'firstSince'>
  readonly #statement

  constructor(database: DatabaseSync, ledger: Pick<Ledger, 'firstSince'>) {
    this.#ledger = ledger
    this.#statement = traffic.select(
      database,
      `FROM (SELECT id, from_team, to_team, last_used_at FROM team_sessions WHERE last_used_at >= ?1
             ORDER BY last_used_at DESC LIMIT ${looked}) AS used
       GROUP BY from_team, to_team`,
    )
  }

  /** The traffic in the hour and the day before `now`, milliseconds since the epoch. */
  before(now: number): Traffic[] {
    const yesterday = now - 24 * hourMs
    const firsts = [this.#ledger.firstSince(now - hourMs), this.#ledger.firstSince(yesterday)]
    return this.#statement.all(yesterday, ...firsts)
  }
}
