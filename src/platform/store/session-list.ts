import type { DatabaseSync } from 'node:sqlite'
import { allOf, type Condition, conditionsOf, type SessionFilter } from './session-filter.ts'
import { type Origin, type SessionRow, session, sessions } from './sessions.ts'
import { type RowOf, Selection, text } from './table.ts'

const listed = new Selection({
  ...session.columns,
  ...sessions.pick('lastResponseAt', 'costUsd', 'archivedAt', 'archivedWhy'),
})

export interface ListedSession extends RowOf<typeof listed> {}

const launch = new Selection({
  command: text<string | null>('launch_command'),
  snapshot: text<string | null>('team_config_snapshot'),
})

export interface SessionListFilter extends SessionFilter {
  readonly status: 'live' | 'archived' | 'all'
  readonly origin: Origin | undefined
  /** Each word must occur in the session's names, thread or id; case is ignored. An asker without a team is `you`. */
  readonly words: readonly string[]
  /** If `among` is true, only the sessions with these row ids; if it is false, all sessions except these. */
  readonly rows: { readonly ids: readonly number[]; readonly among: boolean } | undefined
  /** Only sessions that come after this one in the list. */
  readonly after: Pick<SessionRow, 'lastUsedAt' | 'id'> | undefined
}

/**
 * All conversations, most recently used first. The time for a page depends only on its own rows, however many others
 * there are.
 */
export class SessionList {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  page(filter: SessionListFilter, limit: number): ListedSession[] {
    const { sql, values } = allOf([...conditionsOf(filter), ...listConditions(filter)])
    const page = `FROM team_sessions WHERE ${sql} ORDER BY last_used_at DESC, id DESC LIMIT ?`
    return listed.select(this.#database, page).all(...values, limit)
  }

  /** Finds sessions by Claude Code's ids; includes archived ones. */
  named(sessionIds: readonly string[]): ListedSession[] {
    const named = 'FROM team_sessions WHERE session_id IN (SELECT value FROM json_each(?))'
    return listed.select(this.#database, named).all(JSON.stringify(sessionIds))
  }

  /**
   * At most two of Claude Code's ids that begin with `prefix`. The query relies on "g", which sorts after every
   * character of a lower-case UUID.
   */
  beginningWith(prefix: string): readonly string[] {
    const sql = `SELECT session_id AS id FROM team_sessions WHERE session_id >= ?1 AND session_id < ?1 || 'g' LIMIT 2`
    return idsOf(this.#database.prepare(sql).all(prefix))
  }

  /** Claude Code's ids of the 1000 most recently used conversations. */
  latest(): readonly string[] {
    const sql = 'SELECT session_id AS id FROM team_sessions ORDER BY last_used_at DESC LIMIT 1000'
    return idsOf(this.#database.prepare(sql).all())
  }

  /** Whether this participant has asked or answered in a conversation. */
  hasParticipant(name: string): boolean {
    const sql = 'SELECT 1 FROM team_sessions WHERE from_team = ?1 OR to_team = ?1 LIMIT 1'
    return this.#database.prepare(sql).get(name) !== undefined
  }

  /**
   * The command line of the session's last process start, and its team's settings at that time (JSON), both without
   * secrets.
   */
  launchOf({ id }: Pick<SessionRow, 'id'>): RowOf<typeof launch> {
    return launch.select(this.#database, 'FROM team_sessions WHERE id = ?').get(id)!
  }
}

/** `lower` converts only ASCII letters, but names and threads contain no others. */
const said = `lower(iif(from_team = 'external', 'you external', from_team) || ' ' || to_team || ' ' || thread || ' ' || session_id)`

function listConditions({ status, origin, words, rows, after }: SessionListFilter): Condition[] {
  const conditions: Condition[] = words.map((word) => ({
    sql: `instr(${said}, ?) > 0`,
    values: [word.toLowerCase()],
  }))
  if (status !== 'all') conditions.push({ sql: `status ${status === 'live' ? '<>' : '='} 'archived'`, values: [] })
  if (origin !== undefined) conditions.push({ sql: 'origin = ?', values: [origin] })
  if (rows) {
    const ids = '(SELECT value FROM json_each(?))'
    conditions.push({ sql: `id ${rows.among ? 'IN' : 'NOT IN'} ${ids}`, values: [JSON.stringify(rows.ids)] })
  }
  if (after) conditions.push({ sql: '(last_used_at, id) < (?, ?)', values: [after.lastUsedAt, after.id] })
  return conditions
}

function idsOf(rows: readonly Record<string, unknown>[]): readonly string[] {
  return rows.map(({ id }) => String(id))
}
