import { answerFiles } from '../../../platform/store/answer-files.ts'
import { Pruning } from '../../../platform/store/pruning.ts'
import { sessions } from '../../../platform/store/sessions.ts'
import type { Store } from '../../../platform/store/store.ts'
import { type RowOf, Selection, text } from '../../../platform/store/table.ts'

/** An answer, and a file that it relied on and that has changed. */
const outdated = new Selection({
  turn: text('watched_answers.turn'),
  console: text<string | null>(),
  ...sessions.pick('sessionId', 'from', 'to', 'thread'),
  /** The question that was answered. */
  message: text(),
  path: text('min(path)'),
  ...answerFiles.pick('commit', 'author'),
})

export interface OutdatedAnswer extends RowOf<typeof outdated> {}

const tables = `watched_answers JOIN answer_files ON answer_files.turn = watched_answers.turn AND changed_at IS NOT NULL
  JOIN turns ON turns.id = watched_answers.turn JOIN team_sessions ON team_sessions.id = turns.session`

/** The table `watched_answers`. It is written without a disk sync: a power cut may lose the last rows. */
export class WatchedAnswerRows {
  readonly #store: Store
  readonly #pruning: Pruning
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#pruning = new Pruning(store, 'watched_answers', { mostRows: 10_000, oldestMs: 90 * 86_400_000 })
    this.#statements = {
      add: store.prepare(
        'INSERT INTO watched_answers (turn, console, noted_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      ),
      teams: store.prepare(
        `SELECT DISTINCT to_team AS team FROM watched_answers JOIN turns ON turns.id = turn
         JOIN team_sessions ON team_sessions.id = session WHERE noted_at >= ? AND told_at IS NULL`,
      ),
      untold: outdated.select(
        store,
        // Excludes files of which a newer answer in the same conversation used the current state, because the asker has
        // that answer.
        `FROM ${tables} WHERE watched_answers.noted_at >= ? AND told_at IS NULL AND NOT EXISTS (
           SELECT 1 FROM answer_files AS later JOIN turns AS later_turn ON later_turn.id = later.turn
           WHERE later.path = answer_files.path AND later_turn.session = turns.session
             AND later_turn.sequence > turns.sequence AND later.changed_at IS NULL)
         GROUP BY watched_answers.turn ORDER BY turns.sequence DESC`,
      ),
      told: store.prepare('UPDATE watched_answers SET told_at = ? WHERE turn = ?'),
      toldAt: store.prepare('SELECT told_at AS at FROM watched_answers WHERE turn = ?'),
      toldSince: store.prepare('SELECT count(*) AS times FROM watched_answers WHERE told_at >= ?'),
      toPush: outdated.select(
        store,
        `FROM ${tables} WHERE console = ? AND told_at IS NOT NULL AND pushed_at IS NULL GROUP BY watched_answers.turn`,
      ),
      pushed: store.prepare('UPDATE watched_answers SET pushed_at = ? WHERE turn = ? AND pushed_at IS NULL'),
    }
  }

  add(turn: string, console: string | undefined, at: number): void {
    this.#store.withoutSync(() => {
      this.#statements.add.run(turn, console ?? null, at)
      this.#pruning.added(at)
    })
  }

  /** The teams with watched answers that have not been reported yet. */
  teams(since: number): string[] {
    return this.#statements.teams.all(since).map(({ team }) => String(team))
  }

  /** The newest first. */
  untold(since: number): OutdatedAnswer[] {
    return this.#statements.untold.all(since)
  }

  told(turn: string, at: number): void {
    this.#store.withoutSync(() => this.#statements.told.run(at, turn))
  }

  /** When this turn's asker was notified of a change; null if not yet, or if the asker did not want to be notified. */
  toldAt(turn: string): number | null {
    const at = this.#statements.toldAt.get(turn)?.['at'] ?? null
    return at === null ? null : Number(at)
  }

  /** How many askers have been notified since `since`. */
  toldSince(since: number): { readonly times: number } {
    return this.#statements.toldSince.get(since) as { times: number }
  }

  /** The notices that this session has not received yet. */
  toPush(console: string): OutdatedAnswer[] {
    return this.#statements.toPush.all(console)
  }

  /** Returns false if the answer was pushed before. */
  pushed(turn: string, at: number): boolean {
    return this.#store.withoutSync(() => this.#statements.pushed.run(at, turn).changes === 1)
  }
}
