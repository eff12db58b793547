import { DatabaseSync } from 'node:sqlite'
import { sessions } from './sessions.ts'
import { type Columns, flag, json, number, type RowOf, Selection, text } from './table.ts'
import { turns } from './turns.ts'

export interface Period {
  /** Milliseconds since the epoch. The period ends just before `until`. */
  readonly since: number
  readonly until: number
  /** Only conversations in which this team asks or answers. */
  readonly team: string | undefined
}

/** The most asks to read, newest first; the same limit applies to tools and to questions. */
const maxRecorded = 200_000
/** How many characters of a message are read. */
const messageLength = 2000

const ofTurns = 'turns JOIN team_sessions ON team_sessions.id = turns.session'
const ofTools = `tool_starts JOIN turns ON turns.id = tool_starts.turn JOIN team_sessions ON team_sessions.id = turns.session`

const beginning = `substr(message, 1, ${messageLength})`

/** A message, without its answer. */
const asks = new Selection({
  id: text('turns.id'),
  ...sessions.pick('from', 'to'),
  /** The first characters; see `messageLength`. */
  message: text(beginning),
  parent: text<string | null>('parent_turn'),
  ...turns.pick('outcome', 'acceptedAt'),
  reason: text<string | null>(),
})

/** When a message was accepted and answered; `answeredAt` is null without an answer. Milliseconds since the epoch. */
const times = new Selection({
  ...sessions.pick('from', 'to', 'thread'),
  ...turns.pick('acceptedAt'),
  answeredAt: number<number | null>(`iif(outcome = 'completed', settled_at, NULL)`),
})

/** A message and its answer. */
const answers = new Selection({
  ...turns.pick('id'),
  message: text(beginning),
  answer: text(`substr(answer, 1, ${messageLength})`),
  answeredAt: number('settled_at'),
})

/** The number of a pair's messages, and their cost. */
const costs = new Selection({
  ...sessions.pick('from', 'to'),
  messages: number('count(*)'),
  costUsd: number(`sum(usage ->> 'costUsd')`),
})

/** One use of a tool, whether it has ended or not. */
const uses = new Selection({
  turn: text(),
  team: text('to_team'),
  name: text(),
  /** The input, shortened and without secrets. */
  input: text('input_short'),
  /** Equal for equal inputs. */
  hash: text('input_hash'),
  startedAt: number('tool_starts.started_at'),
})

const tools = new Selection({
  ...uses.pick('turn', 'name', 'input'),
  /** The team whose agent used the tool. */
  team: text('to_team'),
  /** Milliseconds, without the time that its permission question waited. */
  took: number('ended_at - tool_starts.started_at - coalesce(waited, 0)'),
})

/** A permission question that a person answered. */
const questions = new Selection({
  id: text('permissions.id'),
  turn: text<string | null>(),
  team: text('to_team'),
  tool: text('tool_name'),
  input: text(),
  /** Rules that Claude Code suggested, as it sent them. */
  suggestions: json<readonly unknown[]>(),
  allowed: flag(`state = 'allowed'`),
})

export interface RecordedAsk extends RowOf<typeof asks> {}

export interface RecordedTimes extends RowOf<typeof times> {}

export interface RecordedAnswer extends RowOf<typeof answers> {}

export interface RecordedCost extends RowOf<typeof costs> {}

export interface RecordedUse extends RowOf<typeof uses> {}

export interface RecordedTool extends RowOf<typeof tools> {}

export interface RecordedQuestion extends RowOf<typeof questions> {}

/**
 * Reads the events of a period row by row, oldest first, so that memory does not grow with the period. Has its own
 * read-only connection; close it with `using`.
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
    return this.#rows(asks, ofTurns, 'accepted_at', 'turns.sequence')
  }

  times(): Iterable<RecordedTimes> {
    return this.#rows(times, ofTurns, 'accepted_at', 'turns.sequence')
  }

  /** The tools that have ended. */
  tools(): Iterable<RecordedTool> {
    const waits = `SELECT turn AS of_turn, tool_use_id AS of_use, sum(decided_at - asked_at) AS waited FROM permissions
      WHERE decided_at IS NOT NULL AND asked_at >= $since GROUP BY turn, tool_use_id`
    return this.#rows(
      tools,
      `${ofTools} LEFT JOIN (${waits}) ON of_turn = tool_starts.turn AND of_use = tool_starts.tool_use_id`,
      'tool_starts.started_at',
      'turns.sequence',
      'AND ended_at IS NOT NULL',
    )
  }

  /** The tool uses of the agents themselves, not of subagents, grouped by turn. */
  uses(): Iterable<RecordedUse> {
    return this.#rows(uses, ofTools, 'tool_starts.started_at', 'turns.sequence', 'AND within IS NULL')
  }

  /** The answers to these turns, cut short. */
  answers(turns: readonly string[]): readonly RecordedAnswer[] {
    const completed = `FROM turns
      WHERE id IN (SELECT value FROM json_each(?)) AND outcome = 'completed' AND answer IS NOT NULL ORDER BY sequence`
    return answers.select(this.#database, completed).all(JSON.stringify(turns))
  }

  /** The costs of pairs, most expensive first. */
  costs(): readonly RecordedCost[] {
    const { since, until, team } = this.#period
    const ofPairs = `FROM ${ofTurns} WHERE accepted_at >= $since AND accepted_at < $until AND usage IS NOT NULL
      AND ($team IS NULL OR from_team = $team OR to_team = $team)
      GROUP BY from_team, to_team HAVING costUsd > 0 ORDER BY costUsd DESC, from_team, to_team`
    return costs.select(this.#database, ofPairs).all({ since, until, team: team ?? null })
  }

  questions(): Iterable<RecordedQuestion> {
    return this.#rows(
      questions,
      'permissions JOIN team_sessions ON team_sessions.id = permissions.session',
      'asked_at',
      'asked_at',
      `AND state IN ('allowed', 'denied') AND decided_by <> 'iris'`,
    )
  }

  #rows<Of extends Columns>(of: Selection<Of>, tables: string, time: string, order: string, condition = '') {
    const { since, until, team } = this.#period
    const ofTeam = team === undefined ? '' : 'AND (from_team = $team OR to_team = $team)'
    const newest = `SELECT ${of.list}, ${order} AS place FROM ${tables}
      WHERE ${time} >= $since AND ${time} < $until ${ofTeam} ${condition} ORDER BY place DESC LIMIT ${maxRecorded}`
    const values = { since, until, ...(team !== undefined && { team }) }
    return of.prepare(this.#database, `SELECT * FROM (${newest}) ORDER BY place`).iterate(values)
  }
}
