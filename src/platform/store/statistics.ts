import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Outcome } from '../../base/protocol/turn.ts'
import { fewBefore } from './first-since.ts'
import { allOf, type Condition, conditionsOf, type SessionFilter } from './session-filter.ts'

const shown = 10

export interface SessionFigures {
  readonly total: number
  readonly live: number
  /** Answered messages; null where there is no session. */
  readonly averageMessages: number | null
  readonly mostMessages: number | null
  /** From the first to the last use, milliseconds. */
  readonly averageLifetime: number | null
  readonly longestLifetime: number | null
}

/** Sessions by their lifetime: those that lasted at most so long, and longer than the step before. */
export interface LifetimeStep {
  /** Milliseconds; null: any longer. */
  readonly upToMs: number | null
  readonly sessions: number
}

/** Tokens of the turns of one session, read and written, from the cache too; null where there is no session. */
export interface SessionTokens {
  readonly average: number | null
  readonly most: number | null
}

const hourMs = 3_600_000
const lifetimeSteps = [hourMs / 60, hourMs / 6, hourMs, 24 * hourMs, 7 * 24 * hourMs, 30 * 24 * hourMs]

export interface TokenSums {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly costUsd: number
}

/** From acceptance to the answer, milliseconds, of completed turns; null where there is none. */
export interface AnswerTimes {
  readonly count: number
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export interface ContextShare extends Pair {
  readonly sessionId: string
  readonly contextTokens: number
  readonly contextWindow: number
}

/** Figures over the sessions that match a filter, and over their turns since `since`; computed by SQLite. */
export class Statistics {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  sessions(filter: SessionFilter): SessionFigures {
    const [row] = this.#overSessions(
      `COUNT(*) AS total, COALESCE(SUM(status <> 'archived'), 0) AS live,
       AVG(message_count) AS averageMessages, MAX(message_count) AS mostMessages,
       AVG(MAX(0, last_used_at - created_at)) AS averageLifetime, MAX(MAX(0, last_used_at - created_at)) AS longestLifetime`,
      filter,
    )
    return row as unknown as SessionFigures
  }

  /** The steps that have sessions, the shortest first. */
  lifetimes(filter: SessionFilter): LifetimeStep[] {
    const steps = lifetimeSteps.map((ms) => `WHEN last_used_at - created_at <= ${ms} THEN ${ms}`).join(' ')
    const columns = `CASE ${steps} END AS upToMs, COUNT(*) AS sessions`
    const end = 'GROUP BY upToMs ORDER BY upToMs IS NULL, upToMs'
    return this.#overSessions(columns, filter, end) as unknown as LifetimeStep[]
  }

  /** Of sessions with turns in the time. */
  tokensPerSession(filter: SessionFilter): SessionTokens {
    const kinds = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']
    const sum = kinds.map((kind) => `COALESCE(usage ->> '${kind}', 0)`).join(' + ')
    const { sql, values } = this.#turns(`SUM(${sum}) AS tokens`, filter, 'GROUP BY turns.session')
    const statement = this.#database.prepare(`SELECT AVG(tokens) AS average, MAX(tokens) AS most FROM (${sql})`)
    return statement.get(...values) as unknown as SessionTokens
  }

  /** The number of turns per outcome; `null` counts those that have not ended. */
  outcomes(filter: SessionFilter): ReadonlyMap<Outcome | null, number> {
    const rows = this.#overTurns('outcome, COUNT(*) AS count', filter, 'GROUP BY outcome')
    return new Map((rows as { outcome: Outcome | null; count: number }[]).map(({ outcome, count }) => [outcome, count]))
  }

  tokens(filter: SessionFilter): TokenSums {
    const fields = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'costUsd']
    const sums = fields.map((field) => `COALESCE(SUM(usage ->> '${field}'), 0) AS ${field}`)
    return this.#overTurns(sums.join(', '), filter)[0] as unknown as TokenSums
  }

  /** Percentiles by the nearest rank. */
  answerTimes(filter: SessionFilter): AnswerTimes {
    const { sql, values } = this.#turns(
      `MAX(0, settled_at - accepted_at) AS ms, ROW_NUMBER() OVER (ORDER BY settled_at - accepted_at) AS rank, COUNT(*) OVER () AS count`,
      filter,
      `AND outcome = 'completed'`,
    )
    const statement = this.#database.prepare(
      `SELECT COALESCE(MAX(count), 0) AS count, MIN(ms) FILTER (WHERE rank >= 0.5 * count) AS p50,
         MIN(ms) FILTER (WHERE rank >= 0.95 * count) AS p95,
         MIN(ms) FILTER (WHERE rank >= 0.99 * count) AS p99 FROM (${sql})`,
    )
    return statement.get(...values) as unknown as AnswerTimes
  }

  busiestPairs(filter: SessionFilter): (Pair & { readonly turns: number })[] {
    const columns = 'from_team AS "from", to_team AS "to", thread, COUNT(*) AS turns'
    const end = `GROUP BY from_team, to_team, thread ORDER BY turns DESC, "from", "to", thread LIMIT ${shown}`
    return this.#overTurns(columns, filter, end) as unknown as (Pair & { turns: number })[]
  }

  /** The fullest contexts among the live sessions whose context size is known, the fullest first. */
  fullest(filter: SessionFilter): ContextShare[] {
    const rows = this.#overSessions(
      `from_team AS "from", to_team AS "to", thread, session_id AS sessionId, context_tokens AS contextTokens,
       context_window AS contextWindow`,
      filter,
      `AND status <> 'archived' AND context_tokens IS NOT NULL AND context_window > 0
       ORDER BY context_tokens * 1.0 / context_window DESC LIMIT ${shown}`,
    )
    return rows as unknown as ContextShare[]
  }

  #overSessions(columns: string, filter: SessionFilter, end = ''): Record<string, unknown>[] {
    const { sql, values } = allOf(conditionsOf(filter))
    return this.#database.prepare(`SELECT ${columns} FROM team_sessions WHERE ${sql} ${end}`).all(...values)
  }

  #overTurns(columns: string, filter: SessionFilter, end = ''): Record<string, unknown>[] {
    const { sql, values } = this.#turns(columns, filter, end)
    return this.#database.prepare(sql).all(...values)
  }

  /** Joins from the sessions: few of them were used lately, and an index has each one's turns. */
  #turns(columns: string, filter: SessionFilter, end: string): Condition {
    const { sql, values } = allOf(conditionsOf(filter))
    const { since = 0 } = filter
    return {
      sql: `SELECT ${columns} FROM team_sessions CROSS JOIN turns ON turns.session = team_sessions.id
            WHERE ${sql} AND turns.sequence >= ? AND turns.accepted_at >= ? ${end}`,
      values: [...values, fewBefore(this.#database, since), since],
    }
  }
}
