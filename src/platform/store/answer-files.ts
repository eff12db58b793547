import type { Pair } from '../../base/protocol/pair.ts'
import { transaction } from './database.ts'
import { Pruning } from './pruning.ts'
import type { Store } from './store.ts'

/** A file that an answer relies on. Times are milliseconds since the epoch. */
export interface AnswerFile {
  readonly turn: string
  /** The commit that was checked out when the answer was given. */
  readonly head: string | null
  readonly path: string
  readonly hash: string
  readonly changedAt: number | null
}

/** A file that has changed since an answer relied on it. */
export interface DriftedFile extends Pair {
  readonly turn: string
  readonly sessionId: string
  /** The beginning of the question. */
  readonly message: string
  readonly answeredAt: number
  readonly path: string
  readonly changedAt: number
  readonly commit: string | null
  readonly author: string | null
}

interface Change {
  readonly at: number
  readonly commit: string | null
  readonly author: string | null
}

const longestMessage = 200
/** Whether a newer answer of the conversation used the file as it is now. The asker knows that one. */
const isReadSince = `EXISTS (
  SELECT 1 FROM answer_files AS later JOIN turns AS later_turn ON later_turn.id = later.turn
  WHERE later.path = answer_files.path AND later_turn.session = turns.session
    AND later_turn.sequence > turns.sequence AND later.changed_at IS NULL)`
const ofFiles = `answer_files JOIN answer_states ON answer_states.turn = answer_files.turn
  JOIN turns ON turns.id = answer_files.turn JOIN team_sessions ON team_sessions.id = turns.session`
const drifted = `answer_files.turn, session_id AS sessionId, from_team AS "from", to_team AS "to", thread,
  substr(message, 1, ${longestMessage}) AS message, settled_at AS answeredAt, path, changed_at AS changedAt,
  commit_id AS "commit", author`

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
      ofTeam: store.prepare(
        `SELECT answer_files.turn, head, path, hash, changed_at AS changedAt FROM answer_files
         JOIN answer_states ON answer_states.turn = answer_files.turn
         WHERE answer_files.turn IN (
           SELECT answer_states.turn FROM answer_states
           JOIN turns ON turns.id = answer_states.turn JOIN team_sessions ON team_sessions.id = turns.session
           WHERE to_team = ? AND noted_at >= ? ORDER BY noted_at DESC LIMIT ?)
         ORDER BY noted_at DESC`,
      ),
      change: store.prepare(
        'UPDATE answer_files SET changed_at = ?, commit_id = ?, author = ? WHERE turn = ? AND path = ?',
      ),
      unreported: store.prepare(
        // By the index of changed files. By the pair it would look at every answer of a long conversation. Of each file, the
        // newest answer: SQLite takes the other columns from the row with the maximum.
        `SELECT ${drifted}, max(turns.sequence) AS newest FROM answer_files INDEXED BY answer_files_changed
         CROSS JOIN answer_states ON answer_states.turn = answer_files.turn
         CROSS JOIN turns ON turns.id = answer_files.turn CROSS JOIN team_sessions ON team_sessions.id = turns.session
         WHERE changed_at IS NOT NULL AND changed_at > coalesce(reported_at, 0)
           AND from_team = ? AND to_team = ? AND thread = ? AND NOT ${isReadSince}
         GROUP BY path ORDER BY changed_at DESC LIMIT ?`,
      ),
      report: store.prepare(
        // All answers of the conversation that used the file.
        `UPDATE answer_states SET reported_at = ?1 WHERE turn IN (
           SELECT answer_files.turn FROM answer_files JOIN turns ON turns.id = answer_files.turn
           WHERE path = ?3 AND changed_at IS NOT NULL AND turns.session = (SELECT session FROM turns WHERE id = ?2))`,
      ),
      list: store.prepare(
        `SELECT ${drifted}, count(*) AS answers, max(turns.sequence) AS newest FROM ${ofFiles}
         WHERE changed_at IS NOT NULL AND noted_at >= ?1 AND (?2 IS NULL OR from_team = ?2 OR to_team = ?2)
           AND NOT ${isReadSince}
         GROUP BY turns.session, path
         ORDER BY changed_at DESC, path, newest DESC LIMIT ?3`,
      ),
      ofTurns: store.prepare(
        `SELECT turn, path, changed_at AS changedAt, commit_id AS "commit", author FROM answer_files
         WHERE changed_at IS NOT NULL AND turn IN (SELECT value FROM json_each(?)) ORDER BY turn, path`,
      ),
    }
  }

  /** Notes what an answer relies on. */
  note(turn: string, head: string | null, at: number, files: readonly { name: string; hash: string }[]): void {
    this.#written(() => {
      this.#statements.state.run(turn, head, at)
      for (const { name, hash } of files) this.#statements.file.run(turn, name, hash)
      for (const old of this.#pruning.added(at)) this.#statements.remove.run(old)
    })
  }

  /** The files of the newest answers that the team has given since then. */
  ofTeam(team: string, since: number, answers: number): AnswerFile[] {
    return this.#statements.ofTeam.all(team, since, answers) as unknown as AnswerFile[]
  }

  /** Null: it holds again what the answer relied on. */
  change(files: readonly (Pick<AnswerFile, 'turn' | 'path'> & { readonly change: Change | null })[]): void {
    this.#written(() => {
      for (const { turn, path, change } of files) {
        this.#statements.change.run(change?.at ?? null, change?.commit ?? null, change?.author ?? null, turn, path)
      }
    })
  }

  /** Each file of which the asker does not know the change yet, with the newest answer that used it, unless a newer answer of the conversation read the file as it is. */
  unreported({ from, to, thread }: Pair, limit: number): DriftedFile[] {
    return this.#statements.unreported.all(from, to, thread, limit) as unknown as DriftedFile[]
  }

  /** The asker knows that these have changed. What changes later in the same answers is unreported again. */
  report(files: readonly Pick<DriftedFile, 'turn' | 'path' | 'changedAt'>[]): void {
    const latest = Math.max(...files.map(({ changedAt }) => changedAt))
    this.#written(() => {
      for (const { turn, path } of files) this.#statements.report.run(latest, turn, path)
    })
  }

  /**
   * Each changed file of a conversation once, with the newest answer that used it; the latest change first. `team` asks or
   * answers; `answers`: how many used it. Left out: what a newer answer of the conversation used as it is.
   */
  list(since: number, team: string | undefined, limit: number): (DriftedFile & { readonly answers: number })[] {
    return this.#statements.list.all(since, team ?? null, limit) as unknown as (DriftedFile & {
      readonly answers: number
    })[]
  }

  ofTurns(turns: readonly string[]): Pick<DriftedFile, 'turn' | 'path' | 'changedAt' | 'commit' | 'author'>[] {
    return this.#statements.ofTurns.all(JSON.stringify(turns)) as unknown as DriftedFile[]
  }

  /** Nothing here must survive a power cut at once. */
  #written(write: () => void): void {
    this.#store.withoutSync(() => transaction(this.#store, write))
  }
}
