import type { DatabaseSync } from 'node:sqlite'
import { sessions } from '../../platform/store/sessions.ts'
import { number, type RowOf, Selection, text } from '../../platform/store/table.ts'

/** Messages for open sessions. Times are milliseconds since the epoch; null if not yet. */
const asks = new Selection({
  turn: text(),
  ...sessions.pick('from', 'to', 'thread'),
  message: text(),
  /** When Iris began to wait for its answer; before that, the message waited behind another one. */
  offeredAt: number('COALESCE(dispatched_at, accepted_at)'),
  letInAt: number<number | null>(),
  noticedAt: number<number | null>(),
  pushedAt: number<number | null>(),
  answer: text<string | null>('live_asks.answer'),
})

export interface LiveAskRow extends RowOf<typeof asks> {}

const tables = 'live_asks JOIN turns ON turns.id = turn JOIN team_sessions ON team_sessions.id = session'

/** The table `live_asks`: messages for the open sessions of people. */
export class LiveAskRows {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: database.prepare('INSERT OR IGNORE INTO live_asks (turn, let_in_at) VALUES (?, ?)'),
      of: asks.select(database, `FROM ${tables} WHERE turn = ?`),
      openFor: asks.select(
        database,
        `FROM ${tables} WHERE to_team = ? AND state <> 'settled' AND live_asks.answer IS NULL AND pushed_at IS NULL ORDER BY sequence`,
      ),
      letIn: database.prepare('UPDATE live_asks SET let_in_at = COALESCE(let_in_at, ?) WHERE turn = ?'),
      noticed: database.prepare('UPDATE live_asks SET noticed_at = ? WHERE turn = ? AND noticed_at IS NULL'),
      pushed: database.prepare('UPDATE live_asks SET pushed_at = ?, console = ? WHERE turn = ? AND pushed_at IS NULL'),
      answer: database.prepare('UPDATE live_asks SET answer = ? WHERE turn = ? AND answer IS NULL'),
    }
  }

  /** Adds the message, unless it is there already. If `letInAt` is null, the person has to let it in. */
  add(turn: string, letInAt: number | null): void {
    this.#statements.add.run(turn, letInAt)
  }

  of(turn: string): LiveAskRow | undefined {
    return this.#statements.of.get(turn)
  }

  /** The messages of a team whose words no session has, in the order of the ledger. */
  openFor(team: string): LiveAskRow[] {
    return this.#statements.openFor.all(team)
  }

  letIn(turn: string, at: number): void {
    this.#statements.letIn.run(at, turn)
  }

  /** Returns false if a session was informed before. */
  noticed(turn: string, at: number): boolean {
    return this.#statements.noticed.run(at, turn).changes === 1
  }

  /** Returns false if a session already has the words. */
  pushed(turn: string, console: string, at: number): boolean {
    return this.#statements.pushed.run(at, console, turn).changes === 1
  }

  /** Returns false if the message was answered before. */
  answer(turn: string, answer: string): boolean {
    return this.#statements.answer.run(answer, turn).changes === 1
  }
}
