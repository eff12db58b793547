import type { DatabaseSync } from 'node:sqlite'
import { fewBefore } from './first-since.ts'
import { sessions } from './sessions.ts'
import { number, type RowOf, Selection } from './table.ts'

const part = (name: string): string => `COALESCE(json_extract(usage, '$.${name}'), 0)`

/** What a pair has used in all its conversations together. */
const pairs = new Selection({
  ...sessions.pick('from', 'to'),
  messages: number('COUNT(*)'),
  /** Includes reads and writes of the cache. */
  inputTokens: number(`SUM(${part('inputTokens')} + ${part('cacheReadTokens')} + ${part('cacheWriteTokens')})`),
  outputTokens: number(`SUM(${part('outputTokens')})`),
  costUsd: number(`SUM(${part('costUsd')})`),
})

export interface PairUsage extends RowOf<typeof pairs> {}

/** Usage by pair. Read-only. */
export class UsageRows {
  readonly #database: DatabaseSync
  readonly #pairs
  readonly #unsettled

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#pairs = pairs.select(
      database,
      `FROM turns JOIN team_sessions ON team_sessions.id = turns.session
       WHERE sequence >= ? AND accepted_at >= ? GROUP BY from_team, to_team ORDER BY costUsd DESC, messages DESC LIMIT 1000`,
    )
    this.#unsettled = database.prepare("SELECT id FROM turns WHERE state <> 'settled' AND accepted_at >= ?")
  }

  /** The usage of turns accepted at or after `since`, milliseconds since the epoch; most expensive first. */
  pairs(since: number): PairUsage[] {
    return this.#pairs.all(fewBefore(this.#database, since), since)
  }

  /** The turns accepted at or after `since` whose usage the store does not have yet. */
  unsettled(since: number): string[] {
    return this.#unsettled.all(since).map(({ id }) => String(id))
  }
}
