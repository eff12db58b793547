import { DatabaseSync } from 'node:sqlite'
import type { Outcome } from '../../base/protocol/turn.ts'

/** One message, without its answer. */
export interface RecordedAsk {
  readonly id: string
  readonly from: string
  readonly to: string
  /** The first characters; see `messageLength`. */
  readonly message: string
  readonly parent: string | null
  /** Null: it has not ended. */
  readonly outcome: Outcome | null
  readonly reason: string | null
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number
}

/** When a message was accepted and answered; `answeredAt` is null without an answer. Milliseconds since the epoch. */
export interface RecordedTimes {
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly acceptedAt: number
  readonly answeredAt: number | null
}

/** How a message was answered. */
export interface RecordedAnswer {
  readonly id: string
  readonly message: string
  readonly answer: string
  readonly answeredAt: number
}

/** What a pair cost. */
export interface RecordedCost {
  readonly from: string
  readonly to: string
  readonly messages: number
  readonly costUsd: number
}

/** One use of a tool, whether it has ended or not. */
export interface RecordedUse {
  readonly turn: string
  readonly team: string
  readonly name: string
  /** The input in short, without secrets. */
  readonly input: string
  /** The same for the same input. */
  readonly hash: string
  readonly startedAt: number
}

export interface RecordedTool {
  readonly turn: string
  /** The team whose agent used it. */
  readonly team: string
  readonly name: string
  /** The input in short, without secrets. */
  readonly input: string
  /** Milliseconds, without those in which its permission question waited. */
  readonly took: number
}

/** A permission question that a person answered. */
export interface RecordedQuestion {
  readonly id: string
  readonly turn: string | null
  readonly team: string
  readonly tool: string
  readonly input: string
  /** Rules that Claude Code suggested, as it sent them. */
  readonly suggestions: readonly unknown[]
  readonly allowed: boolean
}

export interface Period {
  /** Milliseconds since the epoch; `until` is not part of it. */
  readonly since: number
  readonly until: number
  /** Only conversations in which this team asks or answers. */
  readonly team: string | undefined
}

/** How many of the newest asks are read at most, and likewise of tools and questions. */
const mostRecorded = 200_000
/** Characters of a message. */
const messageLength = 2000

/**
 * What happened in a period, row by row, oldest first: memory does not grow with the period. Has a read-only connection
 * of its own; close it with `using`.
 */
export class Recording {
  readonly #database: DatabaseSync
  readonly #period: Period

  constructor(path: string, period: Period) {
    this.#database = new DatabaseSync(path, { readOnly: true })
    this.#period = period
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  asks(): Iterable<RecordedAsk> {
    return this.#rows<RecordedAsk>(
      `turns.id, from_team AS "from", to_team AS "to", substr(message, 1, ${messageLength}) AS message,
         parent_turn AS parent, outcome, reason, accepted_at AS acceptedAt`,
      'turns JOIN team_sessions ON team_sessions.id = turns.session',
      'accepted_at',
      'turns.sequence',
    )
  }

  times(): Iterable<RecordedTimes> {
    return this.#rows<RecordedTimes>(
      `from_team AS "from", to_team AS "to", thread, accepted_at AS acceptedAt,
         iif(outcome = 'completed', settled_at, NULL) AS answeredAt`,
      'turns JOIN team_sessions ON team_sessions.id = turns.session',
      'accepted_at',
      'turns.sequence',
    )
  }

  /** The tools that have ended. */
  tools(): Iterable<RecordedTool> {
    const waits = `SELECT turn AS of_turn, tool_use_id AS of_use, sum(decided_at - asked_at) AS waited FROM permissions
      WHERE decided_at IS NOT NULL AND asked_at >= $since GROUP BY turn, tool_use_id`
    return this.#rows<RecordedTool>(
      `turn, to_team AS team, name, input_short AS input,
         ended_at - tool_starts.started_at - coalesce(waited, 0) AS took`,
      `tool_starts JOIN turns ON turns.id = tool_starts.turn JOIN team_sessions ON team_sessions.id = turns.session
         LEFT JOIN (${waits}) ON of_turn = tool_starts.turn AND of_use = tool_starts.tool_use_id`,
      'tool_starts.started_at',
      'turns.sequence',
      'AND ended_at IS NOT NULL',
    )
  }

  /** The uses of tools by the agents themselves, those of one turn after the other. */
  uses(): Iterable<RecordedUse> {
    return this.#rows<RecordedUse>(
      `turn, to_team AS team, name, input_short AS input, input_hash AS hash, tool_starts.started_at AS startedAt`,
      `tool_starts JOIN turns ON turns.id = tool_starts.turn JOIN team_sessions ON team_sessions.id = turns.session`,
      'tool_starts.started_at',
      'turns.sequence',
      'AND within IS NULL',
    )
  }

  /** The answers to these turns, cut. */
  answers(turns: readonly string[]): readonly RecordedAnswer[] {
    const statement = this.#database.prepare(
      `SELECT id, substr(message, 1, ${messageLength}) AS message, substr(answer, 1, ${messageLength}) AS answer, settled_at AS answeredAt FROM turns
       WHERE id IN (SELECT value FROM json_each(?)) AND outcome = 'completed' AND answer IS NOT NULL ORDER BY sequence`,
    )
    return statement.all(JSON.stringify(turns)) as unknown as RecordedAnswer[]
  }

  /** The most expensive first. */
  costs(): readonly RecordedCost[] {
    const { since, until, team } = this.#period
    const statement = this.#database.prepare(
      `SELECT from_team AS "from", to_team AS "to", count(*) AS messages, sum(usage ->> 'costUsd') AS costUsd
       FROM turns JOIN team_sessions ON team_sessions.id = turns.session
       WHERE accepted_at >= $since AND accepted_at < $until AND usage IS NOT NULL
         AND ($team IS NULL OR from_team = $team OR to_team = $team)
       GROUP BY from_team, to_team HAVING costUsd > 0 ORDER BY costUsd DESC, from_team, to_team`,
    )
    return statement.all({ since, until, team: team ?? null }) as unknown as RecordedCost[]
  }

  *questions(): Iterable<RecordedQuestion> {
    type Row = Omit<RecordedQuestion, 'suggestions' | 'allowed'> & { suggestions: string; state: string }
    const rows = this.#rows<Row>(
      'permissions.id, turn, to_team AS team, tool_name AS tool, input, suggestions, state',
      'permissions JOIN team_sessions ON team_sessions.id = permissions.session',
      'asked_at',
      'asked_at',
      `AND state IN ('allowed', 'denied') AND decided_by <> 'iris'`,
    )
    for (const { state, suggestions, ...row } of rows) {
      yield { ...row, suggestions: JSON.parse(suggestions), allowed: state === 'allowed' }
    }
  }

  #rows<Row>(columns: string, tables: string, time: string, order: string, condition = ''): Iterable<Row> {
    const { since, until, team } = this.#period
    const ofTeam = team === undefined ? '' : 'AND (from_team = $team OR to_team = $team)'
    const newest = `SELECT ${columns}, ${order} AS place FROM ${tables}
      WHERE ${time} >= $since AND ${time} < $until ${ofTeam} ${condition} ORDER BY place DESC LIMIT ${mostRecorded}`
    const values = { since, until, ...(team !== undefined && { team }) }
    return this.#database
      .prepare(`SELECT * FROM (${newest}) ORDER BY place`)
      .iterate(values) as unknown as Iterable<Row>
  }
}
