import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../platform/store/database.ts'
import type { ItemState } from './contract.ts'
import type { Marked } from './state.ts'

export interface MarkedRow extends Marked {
  readonly subject: string
  /** Row id of its conversation. */
  readonly session: number
  readonly isPinned: boolean
}

/**
 * A row with the data of its subject. A field is null if the subject is gone or has no such data. Texts are cut for a
 * list.
 */
export interface KeptRow extends MarkedRow {
  readonly sessionId: string
  readonly turn: string | null
  readonly message: string | null
  readonly text: string | null
  readonly toolName: string | null
}

/** A turn that has ended, with what decides whether its end is news. */
export interface EndedTurn {
  readonly session: number
  readonly from: string
  /** Whether the asker was a session that a person has open in a terminal, and that stopped waiting. */
  readonly isOwed: boolean
  /** Whether a person retried a failed message with this turn. */
  readonly isRetry: boolean
}

const maxItemCharacters = 300
/** How long done items stay listed and can be restored, in milliseconds. */
const keptDoneMs = 30 * 86_400_000
const row = 'subject, inbox.session, inbox.state, since, until, pinned'
const kept = `SELECT ${row}, session_id AS sessionId, COALESCE(turns.id, permissions.turn) AS turn,
    substr(turns.message, 1, ${maxItemCharacters}) AS message, tool_name AS toolName,
    substr(COALESCE(turns.answer, turns.partial), 1, ${maxItemCharacters}) AS text
  FROM inbox JOIN team_sessions ON team_sessions.id = inbox.session
  LEFT JOIN turns ON turns.id = iif(subject GLOB 'answer:*' OR subject GLOB 'failed:*', substr(subject, 8), NULL)
  LEFT JOIN permissions ON permissions.id = iif(subject GLOB 'expired:*', substr(subject, 9), NULL)`
const isKept = "(subject GLOB 'answer:*' OR subject GLOB 'expired:*' OR subject GLOB 'event:*')"

/** The table `inbox`. */
export class InboxRows {
  readonly #database: DatabaseSync
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#database = database
    const set = 'ON CONFLICT (subject) DO UPDATE SET'
    this.#statements = {
      came: database.prepare(
        `INSERT INTO inbox (subject, session, state, since) VALUES (?, ?, 'new', ?) ON CONFLICT DO NOTHING`,
      ),
      cameAgain: database.prepare(
        `INSERT INTO inbox (subject, session, state, since) VALUES (?1, ?2, 'new', ?3)
         ${set} state = 'new', since = excluded.since, until = NULL WHERE inbox.since <= ?3 - ?4`,
      ),
      mark: database.prepare(
        `INSERT INTO inbox (subject, session, state, since, until) VALUES (?, ?, ?, ?, ?)
         ${set} state = excluded.state, since = excluded.since, until = excluded.until`,
      ),
      pin: database.prepare(
        `INSERT INTO inbox (subject, session, state, since, pinned) VALUES (?, ?, 'new', ?, ?)
         ${set} pinned = excluded.pinned, since = excluded.since`,
      ),
      // One answer per conversation: a new one replaces those before it.
      replaced: database.prepare(
        "DELETE FROM inbox WHERE session = ? AND subject GLOB 'answer:*' AND state IN ('new', 'opened') AND subject <> ?",
      ),
      remove: database.prepare("DELETE FROM inbox WHERE subject = ? AND state = 'new'"),
      forget: database.prepare(
        `DELETE FROM inbox WHERE since < ? AND pinned = 0 AND (state IN ('done', 'opened') OR state = 'new' AND NOT ${isKept})`,
      ),
      of: database.prepare(`SELECT ${row} FROM inbox WHERE subject IN (SELECT value FROM json_each(?))`),
      open: database.prepare(
        `${kept} WHERE inbox.state IN ('new', 'opened', 'later') AND ${isKept} ORDER BY since DESC LIMIT ?`,
      ),
      done: database.prepare(`${kept} WHERE inbox.state = 'done' ORDER BY since DESC LIMIT ?`),
      pinned: database.prepare(
        'SELECT session_id AS sessionId FROM inbox JOIN team_sessions ON team_sessions.id = inbox.session WHERE pinned = 1 ORDER BY since LIMIT ?',
      ),
      unread: database.prepare("SELECT subject FROM inbox WHERE state = 'new' AND subject GLOB 'answer:*' LIMIT ?"),
      firstDue: database.prepare("SELECT MIN(until) AS until FROM inbox WHERE state = 'later'"),
      due: database.prepare(
        "UPDATE inbox SET state = 'new', since = until, until = NULL WHERE state = 'later' AND until <= ? RETURNING subject, session",
      ),
      session: database.prepare('SELECT id FROM team_sessions WHERE session_id = ?'),
      turnSession: database.prepare('SELECT session FROM turns WHERE id = ?'),
      questionSession: database.prepare('SELECT session, deadline FROM permissions WHERE id = ?'),
      tries: database.prepare(
        `WITH RECURSIVE tried (turn) AS (SELECT ?1 UNION ALL SELECT failed FROM retries JOIN tried ON retries.turn = tried.turn LIMIT 100)
         SELECT COUNT(*) AS count FROM tried`,
      ),
      ended: database.prepare(
        `SELECT session, from_team AS "from", EXISTS (SELECT 1 FROM late_answers WHERE turn = turns.id AND read_at IS NULL) AS isOwed,
           EXISTS (SELECT 1 FROM retries WHERE turn = turns.id) AS isRetry
         FROM turns JOIN team_sessions ON team_sessions.id = session WHERE turns.id = ?`,
      ),
    }
  }

  atomically<T>(work: () => T): T {
    return this.#database.isTransaction ? work() : transaction(this.#database, work)
  }

  /** Adds an item, unless it was added before. Returns whether it is new. */
  came(subject: string, session: number, at: number): boolean {
    return this.#statements.came.run(subject, session, at).changes === 1
  }

  /** Like `came`, but also makes an item new again whose state is older than `everyMs`. */
  cameAgain(subject: string, session: number, at: number, everyMs: number): boolean {
    return this.#statements.cameAgain.run(subject, session, at, everyMs).changes === 1
  }

  /** An answer replaces an earlier one in its conversation that is neither done nor snoozed. */
  answered(subject: string, session: number, at: number): boolean {
    return this.atomically(() => {
      this.#statements.replaced.run(session, subject)
      return this.came(subject, session, at)
    })
  }

  mark(subject: string, session: number, state: ItemState, at: number, until: number | null): void {
    this.#statements.mark.run(subject, session, state, at, until)
  }

  pin(subject: string, session: number, isPinned: boolean, at: number): void {
    this.#statements.pin.run(subject, session, at, isPinned ? 1 : 0)
  }

  /**
   * Removes an item whose answer the asker has read, because it is no longer news. Returns false if it was not news.
   */
  remove(subject: string): boolean {
    return this.#statements.remove.run(subject).changes === 1
  }

  /** Deletes items that were done long ago. */
  forget(now: number): void {
    this.#statements.forget.run(now - keptDoneMs)
  }

  of(subjects: readonly string[]): ReadonlyMap<string, MarkedRow> {
    const rows = this.#statements.of.all(JSON.stringify(subjects))
    return new Map(rows.map((raw) => [String(raw['subject']), toRow<MarkedRow>(raw)]))
  }

  /** Answers and expired questions that are not done; the latest first. */
  open(limit: number): readonly KeptRow[] {
    return this.#statements.open.all(limit).map((raw) => toRow<KeptRow>(raw))
  }

  /** The latest first. */
  done(limit: number): readonly KeptRow[] {
    return this.#statements.done.all(limit).map((raw) => toRow<KeptRow>(raw))
  }

  /** Claude Code's ids of the pinned conversations, the one pinned for the longest time first. */
  pinned(limit: number): readonly string[] {
    return this.#statements.pinned.all(limit).map(({ sessionId }) => String(sessionId))
  }

  /** Subjects of answers that nobody has opened. */
  unread(limit: number): readonly string[] {
    return this.#statements.unread.all(limit).map(({ subject }) => String(subject))
  }

  /** When the first snoozed item comes back. */
  firstDue(): number | undefined {
    const until = this.#statements.firstDue.get()?.['until']
    return typeof until === 'number' ? until : undefined
  }

  /** Makes snoozed items that are due now new again. Returns the row ids of their conversations, each once. */
  wake(now: number): readonly number[] {
    return [...new Set(this.#statements.due.all(now).map(({ session }) => Number(session)))]
  }

  /** The row id of a conversation by Claude Code's id. */
  sessionOf(sessionId: string): number | undefined {
    return numberOf(this.#statements.session.get(sessionId)?.['id'])
  }

  /** The row id of the conversation of a turn. */
  sessionOfTurn(turn: string): number | undefined {
    return numberOf(this.#statements.turnSession.get(turn)?.['session'])
  }

  /** The conversation of a question, and until when it can be answered. */
  question(id: string): { readonly session: number; readonly deadline: number } | undefined {
    return this.#statements.questionSession.get(id) as { session: number; deadline: number } | undefined
  }

  /** How often a message was sent, counting this turn and the turns that it retries. */
  tries(turn: string): number {
    return Number(this.#statements.tries.get(turn)!['count'])
  }

  ended(turn: string): EndedTurn | undefined {
    const raw = this.#statements.ended.get(turn)
    return raw && ({ ...raw, isOwed: raw['isOwed'] === 1, isRetry: raw['isRetry'] === 1 } as unknown as EndedTurn)
  }
}

function toRow<Row extends MarkedRow>(raw: Record<string, unknown>): Row {
  const { pinned, ...rest } = raw
  return { ...rest, isPinned: pinned === 1 } as unknown as Row
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
