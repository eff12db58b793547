import type { DatabaseSync } from 'node:sqlite'
import { fewBefore } from './first-since.ts'
import { answerMs } from './person-time.ts'
import { percentiles, tokenSums } from './statistics.ts'
import { type Columns, number, type RowOf, Selection } from './table.ts'
import { turns } from './turns.ts'

/**
 * Buckets of `sizeMs` from `begin` up to but excluding `end`, milliseconds since the epoch; the first one is number 0.
 */
export interface Buckets {
  readonly begin: number
  readonly end: number
  readonly sizeMs: number
  /** Only conversations in which this participant asks or answers; undefined for all conversations. */
  readonly participant: string | undefined
}

const outcomes = new Selection({
  bucket: number(),
  ...turns.pick('outcome'),
  count: number('COUNT(*)'),
  ...tokenSums.columns,
})

const answerTimes = new Selection({ bucket: number(), count: number('MAX(count)'), ...percentiles })

const used = new Selection({
  bucket: number(),
  begun: number('SUM(begun)'),
  lastUsed: number('COUNT(lifetime)'),
  averageLifetime: number<number | null>('AVG(lifetime)'),
})

export interface OutcomesInBucket extends RowOf<typeof outcomes> {}

export interface SessionsInBucket extends RowOf<typeof used> {}

/** Figures for each bucket that is not empty, computed by SQLite. Read-only. */
export class StatisticsOverTime {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** When the first conversation began; undefined if there is none. */
  get first(): number | undefined {
    const { first } = this.#database.prepare('SELECT MIN(created_at) AS first FROM team_sessions').get()!
    return (first as number | null) ?? undefined
  }

  all(buckets: Buckets) {
    return {
      outcomes: this.outcomes(buckets),
      answerTimes: this.answerTimes(buckets),
      sessions: this.sessions(buckets),
    }
  }

  /** The number and usage of turns per bucket and outcome; the outcome is null for turns that have not ended. */
  outcomes(buckets: Buckets): OutcomesInBucket[] {
    const inBuckets = this.#turns(buckets, 'outcome, usage', '')
    return this.#all(outcomes, `FROM (${inBuckets}) GROUP BY bucket, outcome`, buckets)
  }

  /** Percentiles over completed turns, by the nearest rank. */
  answerTimes(buckets: Buckets): RowOf<typeof answerTimes>[] {
    const inBuckets = this.#turns(buckets, `${answerMs} AS ms`, `AND outcome = 'completed'`)
    const ranked = `SELECT bucket, ms, ROW_NUMBER() OVER (PARTITION BY bucket ORDER BY ms) AS rank,
      COUNT(*) OVER (PARTITION BY bucket) AS count FROM (${inBuckets})`
    return this.#all(answerTimes, `FROM (${ranked}) GROUP BY bucket`, buckets)
  }

  sessions(buckets: Buckets): SessionsInBucket[] {
    const sql = usedSince(buckets)
    // A session that began in the span was last used in it or later, so the condition on the last use is right for both
    // queries.
    const both = `SELECT ${bucketOf('created_at')} AS bucket, 1 AS begun, NULL AS lifetime FROM team_sessions
        WHERE ${sql} AND created_at >= $begin AND created_at < $end
      UNION ALL SELECT ${bucketOf('last_used_at')}, 0, MAX(0, last_used_at - created_at) FROM team_sessions
        WHERE ${sql} AND last_used_at < $end`
    return this.#all(used, `FROM (${both}) GROUP BY bucket`, buckets)
  }

  /**
   * Joins starting from the sessions, because few of them were used recently, and an index finds each session's turns.
   */
  #turns(buckets: Buckets, columns: string, condition: string): string {
    return `SELECT ${bucketOf('accepted_at')} AS bucket, ${columns}
      FROM team_sessions CROSS JOIN turns ON turns.session = team_sessions.id
      WHERE ${usedSince(buckets)} AND sequence >= ${fewBefore(this.#database, buckets.begin)} AND accepted_at >= $begin AND accepted_at < $end ${condition}`
  }

  #all<Of extends Columns>(figures: Selection<Of>, rest: string, { begin, end, sizeMs, participant }: Buckets) {
    const values = { begin, end, sizeMs, ...(participant !== undefined && { participant }) }
    return figures.select(this.#database, rest).all(values)
  }
}

function usedSince({ participant }: Buckets): string {
  return `last_used_at >= $begin${participant === undefined ? '' : ' AND (from_team = $participant OR to_team = $participant)'}`
}

function bucketOf(time: string): string {
  return `CAST((${time} - $begin) / $sizeMs AS INTEGER)`
}
