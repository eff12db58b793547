import type { DatabaseSync } from 'node:sqlite'
import type { Outcome } from '../../base/protocol/turn.ts'
import { fewBefore } from './first-since.ts'
import type { AnswerTimes, TokenSums } from './statistics.ts'

/** Buckets of `sizeMs` from `begin` to before `end`, milliseconds since the epoch; the first one is number 0. */
export interface Buckets {
  readonly begin: number
  readonly end: number
  readonly sizeMs: number
  /** Only conversations in which it asks or answers; undefined: all. */
  readonly participant: string | undefined
}

interface InBucket {
  readonly bucket: number
}

export type OutcomesInBucket = InBucket & TokenSums & { readonly outcome: Outcome | null; readonly count: number }

export interface SessionsInBucket extends InBucket {
  readonly begun: number
  readonly lastUsed: number
  readonly averageLifetime: number | null
}

const fields = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'costUsd']
const sums = fields.map((field) => `COALESCE(SUM(usage ->> '${field}'), 0) AS ${field}`).join(', ')

/** Figures for each bucket that is not empty, computed by SQLite. Read-only. */
export class StatisticsOverTime {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** When the first conversation began; undefined: there is none. */
  get first(): number | undefined {
    const { first } = this.#database.prepare('SELECT MIN(created_at) AS first FROM team_sessions').get()!
    return (first as number | null) ?? undefined
  }

  /** The number and usage of turns per bucket and outcome; `null`: not ended. */
  outcomes(buckets: Buckets): OutcomesInBucket[] {
    const turns = this.#turns(buckets, 'outcome, usage', '')
    return this.#all(
      `SELECT bucket, outcome, COUNT(*) AS count, ${sums} FROM (${turns}) GROUP BY bucket, outcome`,
      buckets,
    )
  }

  /** Percentiles over completed turns, by the nearest rank. */
  answerTimes(buckets: Buckets): (InBucket & AnswerTimes)[] {
    const turns = this.#turns(buckets, 'MAX(0, settled_at - accepted_at) AS ms', `AND outcome = 'completed'`)
    const ranked = `SELECT bucket, ms, ROW_NUMBER() OVER (PARTITION BY bucket ORDER BY ms) AS rank,
      COUNT(*) OVER (PARTITION BY bucket) AS count FROM (${turns})`
    return this.#all(
      `SELECT bucket, MAX(count) AS count, MIN(ms) FILTER (WHERE rank >= 0.5 * count) AS p50,
         MIN(ms) FILTER (WHERE rank >= 0.95 * count) AS p95,
         MIN(ms) FILTER (WHERE rank >= 0.99 * count) AS p99 FROM (${ranked}) GROUP BY bucket`,
      buckets,
    )
  }

  sessions(buckets: Buckets): SessionsInBucket[] {
    const sql = usedSince(buckets)
    // A session that began in the span was also used in it or later, so the condition on the use holds for both.
    const both = `SELECT ${bucketOf('created_at')} AS bucket, 1 AS begun, NULL AS lifetime FROM team_sessions
        WHERE ${sql} AND created_at >= $begin AND created_at < $end
      UNION ALL SELECT ${bucketOf('last_used_at')}, 0, MAX(0, last_used_at - created_at) FROM team_sessions
        WHERE ${sql} AND last_used_at < $end`
    return this.#all(
      `SELECT bucket, SUM(begun) AS begun, COUNT(lifetime) AS lastUsed, AVG(lifetime) AS averageLifetime
       FROM (${both}) GROUP BY bucket`,
      buckets,
    )
  }

  /** Joins from the sessions: few of them were used lately, and an index has each one's turns. */
  #turns(buckets: Buckets, columns: string, condition: string): string {
    return `SELECT ${bucketOf('accepted_at')} AS bucket, ${columns}
      FROM team_sessions CROSS JOIN turns ON turns.session = team_sessions.id
      WHERE ${usedSince(buckets)} AND sequence >= ${fewBefore(this.#database, buckets.begin)} AND accepted_at >= $begin AND accepted_at < $end ${condition}`
  }

  #all<Row>(sql: string, { begin, end, sizeMs, participant }: Buckets): Row[] {
    const values = { begin, end, sizeMs, ...(participant !== undefined && { participant }) }
    return this.#database.prepare(sql).all(values) as unknown as Row[]
  }
}

function usedSince({ participant }: Buckets): string {
  return `last_used_at >= $begin${participant === undefined ? '' : ' AND (from_team = $participant OR to_team = $participant)'}`
}

function bucketOf(time: string): string {
  return `CAST((${time} - $begin) / $sizeMs AS INTEGER)`
}
