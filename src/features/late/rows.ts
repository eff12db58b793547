import type { DatabaseSync } from 'node:sqlite'
import type { Outcome } from '../../base/protocol/turn.ts'
import { sessions } from '../../platform/store/sessions.ts'
import { flag, number, type RowOf, Selection, text } from '../../platform/store/table.ts'
import { turns } from '../../platform/store/turns.ts'

/** The end of a turn that its asker has not read. */
const lateAnswers = new Selection({
  turn: text(),
  ...sessions.pick('from', 'to', 'thread'),
  ...turns.pick('message', 'detail'),
  outcome: text<Outcome>(),
  /** The answer, its value as JSON, or the text so far. */
  text: text(`COALESCE(value, answer, partial, '')`),
  /** Whether the turn left commands running. */
  leftRunning: flag('background IS NOT NULL'),
  pushedAt: number<number | null>(),
  announcedAt: number<number | null>(),
})

export interface LateAnswerRow extends RowOf<typeof lateAnswers> {}

/** The table `late_answers`: the answers that asking sessions still have to read. */
export class LateAnswerRows {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      owe: database.prepare('INSERT OR IGNORE INTO late_answers (turn, console, owed_at) VALUES (?, ?, ?)'),
      unread: database.prepare('SELECT console FROM late_answers WHERE turn = ? AND read_at IS NULL ORDER BY owed_at'),
      openOf: database.prepare('SELECT turn FROM late_answers WHERE console = ? AND read_at IS NULL'),
      endedOf: lateAnswers.select(
        database,
        `FROM late_answers JOIN turns ON turns.id = turn JOIN team_sessions ON team_sessions.id = session
         WHERE console = ? AND read_at IS NULL AND state = 'settled' ORDER BY sequence`,
      ),
      consoles: database.prepare('SELECT DISTINCT console FROM late_answers WHERE read_at IS NULL'),
      pushed: database.prepare(
        'UPDATE late_answers SET pushed_at = ? WHERE turn = ? AND console = ? AND pushed_at IS NULL',
      ),
      announced: database.prepare('UPDATE late_answers SET announced_at = ? WHERE turn = ? AND console = ?'),
      read: database.prepare('UPDATE late_answers SET read_at = ? WHERE turn = ? AND console = ?'),
    }
  }

  owe(turn: string, console: string, at: number): void {
    this.#statements.owe.run(turn, console, at)
  }

  /** The sessions that have to read this turn's answer: several if a message of another session joined the turn. */
  unreadBy(turn: string): string[] {
    return this.#statements.unread.all(turn).map(({ console }) => String(console))
  }

  /** Turns whose answers this session has to read, whether or not they have ended. */
  openOf(console: string): string[] {
    return this.#statements.openOf.all(console).map(({ turn }) => String(turn))
  }

  /** The ended turns whose answers this session has to read, in the order of the ledger. */
  endedOf(console: string): LateAnswerRow[] {
    return this.#statements.endedOf.all(console)
  }

  /** The sessions that have to read an answer, whether or not its turn has ended. */
  consoles(): string[] {
    return this.#statements.consoles.all().map(({ console }) => String(console))
  }

  /** Returns false if it was pushed to that session before. */
  pushed(turn: string, console: string, at: number): boolean {
    return this.#statements.pushed.run(at, turn, console).changes === 1
  }

  announced(turn: string, console: string, at: number): void {
    this.#statements.announced.run(at, turn, console)
  }

  read(turn: string, console: string, at: number): void {
    this.#statements.read.run(at, turn, console)
  }
}
