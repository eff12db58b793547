import { DatabaseSync } from 'node:sqlite'
import type { Outcome, Usage } from '../../../base/protocol/turn.ts'

/** What a trace says of a turn. Times are milliseconds since the epoch. */
export interface SpanTurn {
  readonly id: string
  /** The first ask of its tree. */
  readonly root: string
  readonly parent: string | null
  readonly parentToolUse: string | null
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly sessionId: string
  readonly outcome: Outcome
  readonly reason: string | null
  readonly usage: Usage | null
  readonly acceptedAt: number
  readonly firstAt: number | null
  readonly deliveredAt: number | null
  readonly startedAt: number | null
  readonly settledAt: number
  /** The traceparent with which the first ask came; null: with none. */
  readonly traceparent: string | null
}

export interface SpanTool {
  readonly toolUseId: string
  /** The tool use of the subagent that used it. */
  readonly within: string | null
  readonly name: string
  readonly startedAt: number
  readonly endedAt: number | null
  readonly isError: boolean | null
}

export interface SpanQuestion {
  readonly id: string
  readonly toolUseId: string
  readonly tool: string
  readonly state: string
  readonly askedAt: number
  readonly decidedAt: number | null
}

/** What Claude Code does so long after a turn still belongs to it. */
const afterwardsMs = 5000

/** Reads ended turns by a connection of its own, which cannot write. Close it with `using`. */
export class SpanRows {
  readonly #database: DatabaseSync
  readonly #statements

  constructor(path: string) {
    const database = new DatabaseSync(path, { readOnly: true })
    this.#database = database
    this.#statements = {
      turn: database.prepare(
        `WITH RECURSIVE above AS (
           SELECT id, parent_turn, 0 AS depth FROM turns WHERE id = $id
           UNION ALL SELECT turns.id, turns.parent_turn, depth + 1 FROM turns JOIN above ON turns.id = above.parent_turn)
         SELECT turns.id, root.id AS root, turns.parent_turn AS parent, parent_tool_use AS parentToolUse,
           from_team AS "from", to_team AS "to", thread, session_id AS sessionId, outcome, reason, usage,
           accepted_at AS acceptedAt, first_at AS firstAt, dispatched_at AS deliveredAt, started_at AS startedAt,
           settled_at AS settledAt, traceparent
         FROM turns JOIN team_sessions ON team_sessions.id = turns.session
           JOIN (SELECT id FROM above ORDER BY depth DESC LIMIT 1) AS root
           LEFT JOIN turn_traces ON turn_traces.turn = root.id
         WHERE turns.id = $id AND state = 'settled'`,
      ),
      turnAt: database.prepare(
        `WITH RECURSIVE found AS (
           SELECT turns.id, parent_turn FROM turns JOIN team_sessions ON team_sessions.id = turns.session
           WHERE session_id = $session AND dispatched_at <= $at AND (settled_at IS NULL OR settled_at >= $since)
           ORDER BY sequence DESC LIMIT 1),
         above AS (SELECT id, parent_turn, 0 AS depth FROM found
           UNION ALL SELECT turns.id, turns.parent_turn, depth + 1 FROM turns JOIN above ON turns.id = above.parent_turn)
         SELECT found.id, root.id AS root, traceparent FROM found
           JOIN (SELECT id FROM above ORDER BY depth DESC LIMIT 1) AS root
           LEFT JOIN turn_traces ON turn_traces.turn = root.id`,
      ),
      tools: database.prepare(
        `SELECT tool_use_id AS toolUseId, within, name, started_at AS startedAt, ended_at AS endedAt,
           is_error AS isError FROM tool_starts WHERE turn = ? ORDER BY started_at LIMIT ?`,
      ),
      questions: database.prepare(
        `SELECT id, tool_use_id AS toolUseId, tool_name AS tool, state, asked_at AS askedAt, decided_at AS decidedAt
         FROM permissions WHERE turn = ? ORDER BY asked_at LIMIT ?`,
      ),
    }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  /** Undefined: it is unknown, or has not ended. */
  turn(id: string): SpanTurn | undefined {
    const row = this.#statements.turn.get({ id }) as (Omit<SpanTurn, 'usage'> & { usage: string | null }) | undefined
    return row && { ...row, usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage) }
  }

  /** The turn that a conversation had at that time, or shortly before. `session`: its id at Claude Code. */
  turnAt(session: string, at: number): Pick<SpanTurn, 'id' | 'root' | 'traceparent'> | undefined {
    const row = this.#statements.turnAt.get({ session, at, since: at - afterwardsMs })
    return row as Pick<SpanTurn, 'id' | 'root' | 'traceparent'> | undefined
  }

  tools(turn: string, most: number): readonly SpanTool[] {
    return this.#statements.tools.all(turn, most) as unknown as SpanTool[]
  }

  questions(turn: string, most: number): readonly SpanQuestion[] {
    return this.#statements.questions.all(turn, most) as unknown as SpanQuestion[]
  }
}
