import type { DatabaseSync } from 'node:sqlite'
import type { ProcessState } from '../../base/protocol/event.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { flag, number, type RowOf, Selection, Table, text } from './table.ts'

/** How a conversation began: as a new conversation, or from another one. */
export type Origin = 'new' | 'reset' | 'fork' | 'rotation' | 'taken_over' | 'adopted' | 'rebuilt'

/** Conversations. Times are milliseconds since the epoch. */
export const sessions = new Table('team_sessions', {
  id: number(),
  from: text('from_team'),
  to: text('to_team'),
  thread: text(),
  /** Claude Code's own id of the conversation. */
  sessionId: text(),
  createdAt: number(),
  lastUsedAt: number(),
  /** When its last turn ended; null if no turn has ended. */
  lastResponseAt: number<number | null>(),
  messageCount: number(),
  /** The cost of all its turns and compactions, US dollars. */
  costUsd: number(),
  status: text<'active' | 'compact_pending' | 'archived'>(),
  archivedAt: number<number | null>(),
  archivedWhy: text<string | null>(),
  /** Whether it was archived because nobody used it; its pair's next message then restores it. */
  dormant: flag(),
  lastAnsweredDelivery: text<string | null>(),
  origin: text<Origin>(),
  /** Claude Code's id of the conversation from which this one came. */
  originSession: text<string | null>(),
  /** For a fork: the last message that it shares with the original; null if it shares all messages. */
  originMessage: text<string | null>(),
  /** How much of the model's window the conversation takes up, in tokens, as last reported by the CLI. */
  contextTokens: number<number | null>(),
  contextWindow: number<number | null>(),
  /** The summary that begins the conversation that replaces this one. */
  summary: text<string | null>(),
  /** Since when Claude Code's transcript has been missing; null while it is where it should be. */
  transcriptMissingSince: number<number | null>(),
  /** The model that the caller of an agent requested; null for the agent's own model. */
  model: text<string | null>(),
  /** The account of its last process, see `accountLabel`. */
  account: text(),
  /**
   * The state of the session's process. This column and the next one, the delivery that the process is answering, are
   * copies for readers.
   */
  processState: text<ProcessState>(),
  currentCacheSessionId: text<string | null>(),
  /** The command line of the last process start without secrets, and the team's settings at that time, JSON. */
  launchCommand: text<string | null>(),
  teamConfigSnapshot: text<string | null>(),
})

export const session = new Selection({
  ...sessions.pick('id', 'from', 'to', 'thread', 'sessionId', 'createdAt', 'lastUsedAt', 'messageCount', 'status'),
  ...sessions.pick('lastAnsweredDelivery', 'origin', 'originSession', 'originMessage', 'contextTokens'),
  ...sessions.pick('contextWindow', 'transcriptMissingSince', 'model', 'account'),
})

export interface SessionRow extends RowOf<typeof session> {}

const archival = new Selection(sessions.pick('archivedWhy'))

/** A conversation to create: its id, and the conversation from which it comes. */
export interface NewSession {
  readonly sessionId: string
  readonly origin: Origin
  readonly originSession: string | null
  readonly originMessage: string | null
}

/** A conversation found on disk that the store does not know. */
export interface FoundConversation extends Pair {
  readonly sessionId: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly lastUsedAt: number
}

/** The table `team_sessions`. */
export class SessionRows {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      live: session.select(
        database,
        `FROM team_sessions WHERE from_team = ? AND to_team = ? AND thread = ? AND status <> 'archived'`,
      ),
      bySessionId: session.select(database, 'FROM team_sessions WHERE session_id = ?'),
      revive: database.prepare(
        `UPDATE team_sessions SET status = 'active', dormant = 0, archived_at = NULL, archived_why = NULL WHERE id = ?`,
      ),
      setModel: database.prepare('UPDATE team_sessions SET model = ? WHERE id = ?'),
      setAccount: database.prepare('UPDATE team_sessions SET account = ? WHERE id = ?'),
      byId: session.select(database, 'FROM team_sessions WHERE id = ?'),
      bySessionIds: session.select(database, 'FROM team_sessions WHERE session_id IN (SELECT value FROM json_each(?))'),
      after: session.select(database, 'FROM team_sessions WHERE id > ? ORDER BY id LIMIT ?'),
      // message_count is 1: the transcript shows that there was a message, but not how many.
      adopt: database.prepare(
        `INSERT INTO team_sessions (
           from_team, to_team, thread, session_id, created_at, last_used_at, message_count, origin, status, archived_at, archived_why
         ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, 'adopted', iif(?7 IS NULL, 'active', 'archived'), ?8, ?7)`,
      ),
      missing: database.prepare(
        'UPDATE team_sessions SET transcript_missing_since = ? WHERE id IN (SELECT value FROM json_each(?))',
      ),
      ofTeam: session.select(
        database,
        `FROM team_sessions WHERE to_team = ? AND status <> 'archived' ORDER BY last_used_at DESC LIMIT ?`,
      ),
      countOf: database.prepare(
        "SELECT COUNT(*) AS count FROM team_sessions WHERE to_team = ? AND status <> 'archived'",
      ),
      busiest: session.select(
        database,
        `FROM (
           SELECT *, (SELECT COUNT(*) FROM turns WHERE session = used.id AND sequence >= ?2) AS turns
           FROM (SELECT * FROM team_sessions WHERE status <> 'archived' AND last_used_at >= ?1
                 ORDER BY last_used_at DESC LIMIT 1000) AS used
         ) WHERE turns > 0 ORDER BY turns DESC, last_used_at DESC LIMIT ?3`,
      ),
      create: sessions.insertReturning(
        database,
        sessions.pick(
          'from',
          'to',
          'thread',
          'sessionId',
          'createdAt',
          'lastUsedAt',
          'origin',
          'originSession',
          'originMessage',
        ),
        session,
      ),
      archive: database.prepare(
        `UPDATE team_sessions SET status = 'archived', process_state = 'stopped', current_cache_session_id = NULL,
           archived_at = ?, archived_why = ? WHERE id = ?`,
      ),
      removeUnused: database.prepare(
        'DELETE FROM team_sessions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM turns WHERE session = ?1)',
      ),
      ...prepareDormant(database),
      ...prepareOfChats(database),
    }
  }

  live({ from, to, thread }: Pair): SessionRow | undefined {
    return this.#statements.live.get(from, to, thread)
  }

  byId(id: number): SessionRow | undefined {
    return this.#statements.byId.get(id)
  }

  /** Finds a session by Claude Code's id; includes archived ones. */
  bySessionId(sessionId: string): SessionRow | undefined {
    return this.#statements.bySessionId.get(sessionId)
  }

  /** Removes a session that never had a message. */
  removeUnused(id: number): void {
    this.#statements.removeUnused.run(id)
  }

  /** Makes a session live again. Its pair and thread must have no other live session. */
  revive(id: number): void {
    this.#statements.revive.run(id)
  }

  setModel(id: number, model: string | null): void {
    this.#statements.setModel.run(model, id)
  }

  setAccount(id: number, account: string): void {
    this.#statements.setAccount.run(account, id)
  }

  /** The live sessions in which `team` answers, most recently used first. */
  ofTeam(team: string, limit: number): SessionRow[] {
    return this.#statements.ofTeam.all(team, limit)
  }

  /** The number of live sessions in which `team` answers. */
  countOf(team: string): number {
    return Number(this.#statements.countOf.get(team)!['count'])
  }

  /** The live sessions of chats on platforms, least recently used first. */
  ofChats(): SessionRow[] {
    return this.#statements.ofChats.all()
  }

  /** Why the pair's newest session was archived; null if it is live, undefined if the pair has none. */
  lastOf({ from, to, thread }: Pair): RowOf<typeof archival> | undefined {
    return this.#statements.lastOf.get(from, to, thread)
  }

  /**
   * Of the live sessions used since `since`, those with the most turns from the sequence number `firstTurn` on.
   * Considers only the 1000 most recently used sessions, so that the time does not grow with the number of sessions.
   */
  busiest(since: number, firstTurn: number, limit: number): SessionRow[] {
    return this.#statements.busiest.all(since, firstTurn, limit)
  }

  /** Includes archived sessions. */
  bySessionIds(sessionIds: readonly string[]): SessionRow[] {
    return this.#statements.bySessionIds.all(JSON.stringify(sessionIds))
  }

  /** At most `limit` rows after that id, in the order of ids; includes archived sessions. */
  after(id: number, limit: number): SessionRow[] {
    return this.#statements.after.all(id, limit)
  }

  /** `archivedWhy` is null for a live session. */
  adopt(found: FoundConversation, archivedWhy: string | null, at: number): void {
    const { from, to, thread, sessionId, createdAt, lastUsedAt } = found
    const archivedAt = archivedWhy === null ? null : at
    this.#statements.adopt.run(from, to, thread, sessionId, createdAt, lastUsedAt, archivedWhy, archivedAt)
  }

  /**
   * Records since when Claude Code's transcripts of these sessions have been missing; `since` is null if they exist.
   */
  transcriptsMissing(ids: readonly number[], since: number | null): void {
    if (ids.length > 0) this.#statements.missing.run(since, JSON.stringify(ids))
  }

  create({ from, to, thread }: Pair, made: NewSession, at: number): SessionRow {
    return this.#statements.create.get({ from, to, thread, ...made, createdAt: at, lastUsedAt: at })
  }

  archive(id: number, why: string, at: number): void {
    this.#statements.archive.run(at, why, id)
  }

  /** Live sessions last used before `before`, least recently used first, starting after `last`. */
  unusedSince(before: number, limit: number, last?: Pick<SessionRow, 'lastUsedAt' | 'id'>): SessionRow[] {
    const { unusedSince } = this.#statements
    return unusedSince.all(before, last?.lastUsedAt ?? -1, last?.id ?? 0, limit)
  }

  /** Archives a session as dormant; `restoreArchived` undoes that. Undefined if the session was already archived. */
  makeDormant(id: number, why: string, at: number): SessionRow | undefined {
    return this.#statements.putAway.get(at, why, id)
  }

  /** Makes the pair's dormant session live again; undefined if there is none. */
  restoreArchived({ from, to, thread }: Pair): SessionRow | undefined {
    return this.#statements.restoreArchived.get(from, to, thread)
  }

  isDormant({ from, to, thread }: Pair): boolean {
    return this.#statements.isPutAway.get(from, to, thread) !== undefined
  }
}

/** Statements for dormant sessions, which are archived because nobody used them. */
function prepareDormant(database: DatabaseSync) {
  return {
    unusedSince: session.select(
      database,
      `FROM team_sessions WHERE status <> 'archived' AND last_used_at < ? AND (last_used_at, id) > (?, ?)
       ORDER BY last_used_at, id LIMIT ?`,
    ),
    putAway: session.prepare(
      database,
      `UPDATE team_sessions SET status = 'archived', dormant = 1, archived_at = ?, archived_why = ?
       WHERE id = ? AND status <> 'archived' RETURNING ${session.list}`,
    ),
    isPutAway: database.prepare(
      'SELECT 1 FROM team_sessions WHERE from_team = ? AND to_team = ? AND thread = ? AND dormant = 1',
    ),
    restoreArchived: session.prepare(
      database,
      `UPDATE team_sessions SET status = 'active', dormant = 0, archived_at = NULL, archived_why = NULL
       WHERE from_team = ? AND to_team = ? AND thread = ? AND dormant = 1 RETURNING ${session.list}`,
    ),
  }
}

function prepareOfChats(database: DatabaseSync) {
  return {
    // The name of a chat contains a colon, and the name of a team cannot. Leaves out the chat page, programs and
    // triggers.
    ofChats: session.select(
      database,
      `FROM team_sessions WHERE status <> 'archived' AND instr(from_team, ':') > 0
         AND from_team NOT LIKE 'viewer:%' AND from_team NOT LIKE 'program:%'
         AND from_team NOT LIKE 'trigger:%'
       ORDER BY last_used_at, id`,
    ),
    lastOf: archival.select(
      database,
      `FROM team_sessions WHERE from_team = ? AND to_team = ? AND thread = ? ORDER BY id DESC LIMIT 1`,
    ),
  }
}
