import type { DatabaseSync } from 'node:sqlite'
import { fewBefore } from './first-since.ts'

/** What a pair used, all its conversations together. */
export interface PairUsage {
  readonly from: string
  readonly to: string
  readonly messages: number
  /** Reads and writes of the cache included. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd: number
}

/** Who used what. Read-only. */
export class UsageRows {
  readonly #database: DatabaseSync
  readonly #pairs
  readonly #unsettled

  constructor(database: DatabaseSync) {
    this.#database = database
    const part = (name: string): string => `COALESCE(json_extract(usage, '$.${name}'), 0)`
    this.#pairs = database.prepare(
      `SELECT from_team AS "from", to_team AS "to", COUNT(*) AS messages,
         SUM(${part('inputTokens')} + ${part('cacheReadTokens')} + ${part('cacheWriteTokens')}) AS inputTokens,
         SUM(${part('outputTokens')}) AS outputTokens, SUM(${part('costUsd')}) AS costUsd
       FROM turns JOIN team_sessions ON team_sessions.id = turns.session
       WHERE sequence >= ? AND accepted_at >= ? GROUP BY from_team, to_team ORDER BY costUsd DESC, messages DESC LIMIT 1000`,
    )
    this.#unsettled = database.prepare("SELECT id FROM turns WHERE state <> 'settled' AND accepted_at >= ?")
  }

  /** Of turns accepted at `since` or later, milliseconds since the epoch; the most expensive first. */
  pairs(since: number): PairUsage[] {
    return this.#pairs.all(fewBefore(this.#database, since), since) as unknown as PairUsage[]
  }

  /** The turns of that time whose usage the store does not have yet. */
  unsettled(since: number): string[] {
    return this.#unsettled.all(since).map(({ id }) => String(id))
  }
}
