import { DatabaseSync } from 'node:sqlite'
import type { Outcome } from '../../../base/protocol/turn.ts'
import { sessions } from '../../../platform/store/sessions.ts'
import { flag, number, type RowOf, Selection, text } from '../../../platform/store/table.ts'
import { turns } from '../../../platform/store/turns.ts'

/** What a trace says about a turn that has ended. Times are milliseconds since the epoch. */
const span = new Selection({
  ...turns.pick('parentToolUse', 'reason', 'usage', 'acceptedAt', 'firstAt', 'startedAt'),
  ...sessions.pick('from', 'to', 'thread', 'sessionId'),
  id: text('turns.id'),
  /** The first ask of its tree. */
  root: text('root.id'),
  parent: text<string | null>('turns.parent_turn'),
  outcome: text<Outcome>(),
  deliveredAt: number<number | null>('dispatched_at'),
  settledAt: number(),
  /** The traceparent with which the first ask came; null if it came without one. */
  traceparent: text<string | null>(),
})

const found = new Selection({ id: text('found.id'), ...span.pick('root', 'traceparent') })

const tools = new Selection({
  toolUseId: text(),
  /** The tool use of the subagent that used it. */
  within: text<string | null>(),
  name: text(),
  startedAt: number(),
  endedAt: number<number | null>(),
  isError: flag<boolean | null>(),
})

const questions = new Selection({
  id: text(),
  toolUseId: text(),
  tool: text('tool_name'),
  state: text(),
  askedAt: number(),
  decidedAt: number<number | null>(),
})

export interface SpanTurn extends RowOf<typeof span> {}

export interface SpanTool extends RowOf<typeof tools> {}

export interface SpanQuestion extends RowOf<typeof questions> {}

/** For this long after a turn, Claude Code's work still belongs to it. */
const afterwardsMs = 5000

/** Reads ended turns over its own connection, which cannot write. Close it with `using`. */
export class SpanRows {
  readonly #database: DatabaseSync
  readonly #statements

  constructor(path: string) {
    const database = new DatabaseSync(path, { readOnly: true })
    this.#database = database
    this.#statements = {
      turn: span.prepare(
        database,
        `WITH RECURSIVE above AS (
           SELECT id, parent_turn, 0 AS depth FROM turns WHERE id = $id
           UNION ALL SELECT turns.id, turns.parent_turn, depth + 1 FROM turns JOIN above ON turns.id = above.parent_turn)
         SELECT ${span.list}
         FROM turns JOIN team_sessions ON team_sessions.id = turns.session
           JOIN (SELECT id FROM above ORDER BY depth DESC LIMIT 1) AS root
           LEFT JOIN turn_traces ON turn_traces.turn = root.id
         WHERE turns.id = $id AND state = 'settled'`,
      ),
      turnAt: found.prepare(
        database,
        `WITH RECURSIVE found AS (
           SELECT turns.id, parent_turn FROM turns JOIN team_sessions ON team_sessions.id = turns.session
           WHERE session_id = $session AND dispatched_at <= $at AND (settled_at IS NULL OR settled_at >= $since)
           ORDER BY sequence DESC LIMIT 1),
         above AS (SELECT id, parent_turn, 0 AS depth FROM found
           UNION ALL SELECT turns.id, turns.parent_turn, depth + 1 FROM turns JOIN above ON turns.id = above.parent_turn)
         SELECT ${found.list} FROM found
           JOIN (SELECT id FROM above ORDER BY depth DESC LIMIT 1) AS root
           LEFT JOIN turn_traces ON turn_traces.turn = root.id`,
      ),
      tools: tools.select(database, 'FROM tool_starts WHERE turn = ? ORDER BY started_at LIMIT ?'),
      questions: questions.select(database, 'FROM permissions WHERE turn = ? ORDER BY asked_at LIMIT ?'),
    }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  /** Undefined if the turn is unknown or has not ended. */
  turn(id: string): SpanTurn | undefined {
    return this.#statements.turn.get({ id })
  }

  /**
   * The turn that was running in a conversation at that time, or shortly before. `session`: Claude Code's id of the
   * conversation.
   */
  turnAt(session: string, at: number): Pick<SpanTurn, 'id' | 'root' | 'traceparent'> | undefined {
    return this.#statements.turnAt.get({ session, at, since: at - afterwardsMs })
  }

  tools(turn: string, most: number): readonly SpanTool[] {
    return this.#statements.tools.all(turn, most)
  }

  questions(turn: string, most: number): readonly SpanQuestion[] {
    return this.#statements.questions.all(turn, most)
  }
}
