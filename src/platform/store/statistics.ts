import type { DatabaseSync } from 'node:sqlite'
import type { Outcome } from '../../base/protocol/turn.ts'
import { fewBefore } from './first-since.ts'
import { answerMs } from './person-time.ts'
import { allOf, type Condition, conditionsOf, type SessionFilter } from './session-filter.ts'
import { sessions } from './sessions.ts'
import { type Columns, number, type RowOf, Selection } from './table.ts'
import { turns } from './turns.ts'

const shown = 10

const lifetime = 'MAX(0, last_used_at - created_at)'

const sessionFigures = new Selection({
  total: number('COUNT(*)'),
  live: number(`COALESCE(SUM(status <> 'archived'), 0)`),
  /** Answered messages; null if there is no session. */
  averageMessages: number<number | null>('AVG(message_count)'),
  mostMessages: number<number | null>('MAX(message_count)'),
  /** From the first to the last use, milliseconds. */
  averageLifetime: number<number | null>(`AVG(${lifetime})`),
  longestLifetime: number<number | null>(`MAX(${lifetime})`),
})

export interface SessionFigures extends RowOf<typeof sessionFigures> {}

const hourMs = 3_600_000
const steps = [hourMs / 60, hourMs / 6, hourMs, 24 * hourMs, 7 * 24 * hourMs, 30 * 24 * hourMs]
const stepOf = steps.map((ms) => `WHEN last_used_at - created_at <= ${ms} THEN ${ms}`).join(' ')

/** Sessions by lifetime. Each step counts those that lasted at most this long, and longer than the previous step. */
const lifetimeSteps = new Selection({
  /** Milliseconds; null for sessions that lasted longer than all steps. */
  upToMs: number<number | null>(`CASE ${stepOf} END`),
  sessions: number('COUNT(*)'),
})

export interface LifetimeStep extends RowOf<typeof lifetimeSteps> {}

const sumOf = (kind: string): string => `COALESCE(SUM(usage ->> '${kind}'), 0)`

export const tokenSums = new Selection({
  inputTokens: number(sumOf('inputTokens')),
  outputTokens: number(sumOf('outputTokens')),
  cacheReadTokens: number(sumOf('cacheReadTokens')),
  cacheWriteTokens: number(sumOf('cacheWriteTokens')),
  costUsd: number(sumOf('costUsd')),
})

export interface TokenSums extends RowOf<typeof tokenSums> {}

/** Tokens that the turns of one session read and wrote, including the cache; null if there is no session. */
const sessionTokens = new Selection({
  average: number<number | null>('AVG(tokens)'),
  most: number<number | null>('MAX(tokens)'),
})

export interface SessionTokens extends RowOf<typeof sessionTokens> {}

/** A percentile by the nearest rank, over rows with `ms`, `rank` and `count`. */
const percentile = (share: number) => number<number | null>(`MIN(ms) FILTER (WHERE rank >= ${share} * count)`)
export const percentiles = { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) }

/**
 * Times of completed turns from acceptance to the answer, without the time that questions waited for people, in
 * milliseconds; null if there is no such turn.
 */
const answerTimes = new Selection({ count: number('COALESCE(MAX(count), 0)'), ...percentiles })

export interface AnswerTimes extends RowOf<typeof answerTimes> {}

const outcomes = new Selection({ ...turns.pick('outcome'), count: number('COUNT(*)') })

const busiestPairs = new Selection({ ...sessions.pick('from', 'to', 'thread'), turns: number('COUNT(*)') })

const contextShares = new Selection({
  ...sessions.pick('from', 'to', 'thread', 'sessionId'),
  contextTokens: number(),
  contextWindow: number(),
})

export interface ContextShare extends RowOf<typeof contextShares> {}

/** Figures over the sessions that match a filter, and over their turns since `since`; computed by SQLite. */
export class Statistics {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  all(filter: SessionFilter) {
    return {
      sessions: this.sessions(filter),
      lifetimes: this.lifetimes(filter),
      tokensPerSession: this.tokensPerSession(filter),
      outcomes: this.outcomes(filter),
      tokens: this.tokens(filter),
      answerTimes: this.answerTimes(filter),
      busiestPairs: this.busiestPairs(filter),
      fullest: this.fullest(filter),
    }
  }

  sessions(filter: SessionFilter): SessionFigures {
    return this.#overSessions(sessionFigures, filter)[0]!
  }

  /** The steps that contain sessions, shortest first. */
  lifetimes(filter: SessionFilter): LifetimeStep[] {
    return this.#overSessions(lifetimeSteps, filter, 'GROUP BY upToMs ORDER BY upToMs IS NULL, upToMs')
  }

  /** Tokens of the sessions that have turns in the period. */
  tokensPerSession(filter: SessionFilter): SessionTokens {
    const kinds = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']
    const sum = kinds.map((kind) => `COALESCE(usage ->> '${kind}', 0)`).join(' + ')
    const { sql, values } = this.#turns(`SUM(${sum}) AS tokens`, filter, 'GROUP BY turns.session')
    return sessionTokens.select(this.#database, `FROM (${sql})`).get(...values)!
  }

  /** The number of turns per outcome; `null` counts those that have not ended. */
  outcomes(filter: SessionFilter): ReadonlyMap<Outcome | null, number> {
    const rows = this.#overTurns(outcomes, filter, 'GROUP BY outcome')
    return new Map(rows.map(({ outcome, count }) => [outcome, count]))
  }

  tokens(filter: SessionFilter): TokenSums {
    return this.#overTurns(tokenSums, filter)[0]!
  }

  /** Percentiles by the nearest rank. */
  answerTimes(filter: SessionFilter): AnswerTimes {
    const { sql, values } = this.#turns(
      `${answerMs} AS ms, ROW_NUMBER() OVER (ORDER BY ${answerMs}) AS rank, COUNT(*) OVER () AS count`,
      filter,
      `AND outcome = 'completed'`,
    )
    return answerTimes.select(this.#database, `FROM (${sql})`).get(...values)!
  }

  busiestPairs(filter: SessionFilter): RowOf<typeof busiestPairs>[] {
    const end = `GROUP BY from_team, to_team, thread ORDER BY turns DESC, "from", "to", thread LIMIT ${shown}`
    return this.#overTurns(busiestPairs, filter, end)
  }

  /** The fullest contexts among the live sessions whose context size is known, fullest first. */
  fullest(filter: SessionFilter): ContextShare[] {
    const end = `AND status <> 'archived' AND context_tokens IS NOT NULL AND context_window > 0
      ORDER BY context_tokens * 1.0 / context_window DESC LIMIT ${shown}`
    return this.#overSessions(contextShares, filter, end)
  }

  #overSessions<Of extends Columns>(figures: Selection<Of>, filter: SessionFilter, end = '') {
    const { sql, values } = allOf(conditionsOf(filter))
    return figures.select(this.#database, `FROM team_sessions WHERE ${sql} ${end}`).all(...values)
  }

  #overTurns<Of extends Columns>(figures: Selection<Of>, filter: SessionFilter, end = '') {
    const { sql, values } = this.#turns(figures.list, filter, end)
    return figures.prepare(this.#database, sql).all(...values)
  }

  /**
   * Joins starting from the sessions, because few of them were used recently, and an index finds each session's turns.
   */
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
