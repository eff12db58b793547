import type { Pair } from '../../base/protocol/pair.ts'
import { transaction } from './database.ts'
import { Pruning } from './pruning.ts'
import { sessions } from './sessions.ts'
import type { Store } from './store.ts'
import { number, type RowOf, Selection, Table, text } from './table.ts'

const maxMessage = 200

/** Files that answers rely on. Times are milliseconds since the epoch. */
export const answerFiles = new Table('answer_files', {
  turn: text(),
  path: text(),
  hash: text(),
  changedAt: number<number | null>(),
  /** The commit that changed the file, as far as git knows. */
  commit: text<string | null>('commit_id'),
  author: text<string | null>(),
})

const ofTeam = new Selection({
  turn: text('answer_files.turn'),
  /** The commit that was checked out when the answer was given. */
  head: text<string | null>(),
  ...answerFiles.pick('path', 'hash', 'changedAt'),
})

const change = new Selection({ ...answerFiles.pick('turn', 'path', 'commit', 'author'), changedAt: number() })

const drifted = new Selection({
  ...change.columns,
  turn: text('answer_files.turn'),
  ...sessions.pick('sessionId', 'from', 'to', 'thread'),
  /** The beginning of the message that the answer belongs to. */
  message: text(`substr(message, 1, ${maxMessage})`),
  answeredAt: number('settled_at'),
  newest: number('max(turns.sequence)'),
})

const listed = new Selection({ ...drifted.columns, answers: number('count(*)') })

export interface AnswerFile extends RowOf<typeof ofTeam> {}

/** A file that has changed since an answer relied on it. */
export interface DriftedFile extends RowOf<typeof drifted> {}

interface Change {
  readonly at: number
  readonly commit: string | null
  readonly author: string | null
}

/**
 * Whether a newer answer in the conversation used the file in its current state. If so, the asker knows its content.
 */
const isReadSince = `EXISTS (
  SELECT 1 FROM answer_files AS later JOIN turns AS later_turn ON later_turn.id = later.turn
  WHERE later.path = answer_files.path AND later_turn.session = turns.session
    AND later_turn.sequence > turns.sequence AND later.changed_at IS NULL)`
const ofFiles = `answer_files JOIN answer_states ON answer_states.turn = answer_files.turn
  JOIN turns ON turns.id = answer_files.turn JOIN team_sessions ON team_sessions.id = turns.session`

/** The tables `answer_states` and `answer_files`. */
export class AnswerFiles {
  readonly #store: Store
  readonly #pruning: Pruning
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#pruning = new Pruning(store, 'answer_states', { mostRows: 50_000, oldestMs: 90 * 86_400_000 })
    this.#statements = {
      state: store.prepare('INSERT INTO answer_states (turn, head, noted_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
      file: store.prepare('INSERT INTO answer_files (turn, path, hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
      remove: store.prepare('DELETE FROM answer_files WHERE turn = ?'),
      ofTeam: ofTeam.select(
        store,
        `FROM answer_files JOIN answer_states ON answer_states.turn = answer_files.turn
         WHERE answer_files.turn IN (
           SELECT answer_states.turn FROM answer_states
           JOIN turns ON turns.id = answer_states.turn JOIN team_sessions ON team_sessions.id = turns.session
           WHERE to_team = ? AND noted_at >= ? ORDER BY noted_at DESC LIMIT ?)
         ORDER BY noted_at DESC`,
      ),
      change: answerFiles.update(
        store,
        answerFiles.pick('changedAt', 'commit', 'author'),
        ' WHERE turn = ? AND path = ?',
      ),
      unreported: drifted.select(
        store,
        // Searches the index of changed files: a search by pair would examine every answer of a long conversation.
        // Yields the newest answer for each file, because SQLite takes the other columns from the row with the maximum.
        `FROM answer_files INDEXED BY answer_files_changed
         CROSS JOIN answer_states ON answer_states.turn = answer_files.turn
         CROSS JOIN turns ON turns.id = answer_files.turn CROSS JOIN team_sessions ON team_sessions.id = turns.session
         WHERE changed_at IS NOT NULL AND changed_at > coalesce(reported_at, 0)
           AND from_team = ? AND to_team = ? AND thread = ? AND NOT ${isReadSince}
         GROUP BY path ORDER BY changed_at DESC LIMIT ?`,
      ),
      report: store.prepare(
        // All answers in the conversation that used the file.
        `UPDATE answer_states SET reported_at = ?1 WHERE turn IN (
           SELECT answer_files.turn FROM answer_files JOIN turns ON turns.id = answer_files.turn
           WHERE path = ?3 AND changed_at IS NOT NULL AND turns.session = (SELECT session FROM turns WHERE id = ?2))`,
      ),
      list: listed.select(
        store,
        `FROM ${ofFiles}
         WHERE changed_at IS NOT NULL AND noted_at >= ?1 AND (?2 IS NULL OR from_team = ?2 OR to_team = ?2)
           AND NOT ${isReadSince}
         GROUP BY turns.session, path
         ORDER BY changed_at DESC, path, newest DESC LIMIT ?3`,
      ),
      ofTurns: change.select(
        store,
        `FROM answer_files WHERE changed_at IS NOT NULL AND turn IN (SELECT value FROM json_each(?)) ORDER BY turn, path`,
      ),
    }
  }

  /** Records the files on which an answer relies. */
  note(turn: string, head: string | null, at: number, files: readonly { name: string; hash: string }[]): void {
    this.#written(() => {
      this.#statements.state.run(turn, head, at)
      for (const { name, hash } of files) this.#statements.file.run(turn, name, hash)
      for (const old of this.#pruning.added(at)) this.#statements.remove.run(old)
    })
  }

  /** The files of the newest answers that the team has given since `since`. */
  ofTeam(team: string, since: number, answers: number): AnswerFile[] {
    return this.#statements.ofTeam.all(team, since, answers)
  }

  /** Records changes to files. A null `change` means that the file again has the content that the answer relied on. */
  change(files: readonly (Pick<AnswerFile, 'turn' | 'path'> & { readonly change: Change | null })[]): void {
    this.#written(() => {
      for (const { turn, path, change } of files) {
        const { at = null, commit = null, author = null } = change ?? {}
        this.#statements.change.run({ changedAt: at, commit, author }, turn, path)
      }
    })
  }

  /**
   * Each file whose change the asker does not know about yet, with the newest answer that used the file. Leaves out
   * files that a newer answer in the conversation read in their current state.
   */
  unreported({ from, to, thread }: Pair, limit: number): DriftedFile[] {
    return this.#statements.unreported.all(from, to, thread, limit)
  }

  /** Records that the asker knows about these changes. Changes after these count as unreported. */
  report(files: readonly Pick<DriftedFile, 'turn' | 'path' | 'changedAt'>[]): void {
    const latest = Math.max(...files.map(({ changedAt }) => changedAt))
    this.#written(() => {
      for (const { turn, path } of files) this.#statements.report.run(latest, turn, path)
    })
  }

  /**
   * Each changed file once for each conversation, with the newest answer that used it; latest change first. With
   * `team`, only conversations in which that team asks or answers. `answers` is how many answers used the file. Leaves
   * out files that a newer answer in the conversation used in their current state.
   */
  list(since: number, team: string | undefined, limit: number): RowOf<typeof listed>[] {
    return this.#statements.list.all(since, team ?? null, limit)
  }

  ofTurns(turns: readonly string[]): RowOf<typeof change>[] {
    return this.#statements.ofTurns.all(JSON.stringify(turns))
  }

  /** Does not wait for the disk, because nothing here has to survive a power cut at once. */
  #written(write: () => void): void {
    this.#store.withoutSync(() => transaction(this.#store, write))
  }
}
