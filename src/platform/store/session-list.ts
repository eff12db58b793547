import type { DatabaseSync } from 'node:sqlite'
import { allOf, type Condition, conditionsOf, type SessionFilter } from './session-filter.ts'
import { type Origin, type SessionRow, sessionColumns } from './sessions.ts'

export interface ListedSession extends SessionRow {
  /** When its last turn ended, milliseconds since the epoch; null: none has. */
  readonly lastResponseAt: number | null
  /** Of all its turns and compactions, US dollars. */
  readonly costUsd: number
  readonly archivedAt: number | null
  readonly archivedWhy: string | null
}

export interface SessionListFilter extends SessionFilter {
  readonly status: 'live' | 'archived' | 'all'
  readonly origin: Origin | undefined
  /** With `among` only the sessions with these row ids, without it only the others. */
  readonly rows: { readonly ids: readonly number[]; readonly among: boolean } | undefined
  /** Only sessions that come after this one in the list. */
  readonly after: Pick<SessionRow, 'lastUsedAt' | 'id'> | undefined
}

const listed = `SELECT ${sessionColumns}, last_response_at AS lastResponseAt, cost_usd AS costUsd,
  archived_at AS archivedAt, archived_why AS archivedWhy FROM team_sessions`

/** All conversations, the last used first. A page takes as long as its own rows, however many others there are. */
export class SessionList {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  page(filter: SessionListFilter, limit: number): ListedSession[] {
    const { sql, values } = allOf([...conditionsOf(filter), ...listConditions(filter)])
    const statement = this.#database.prepare(`${listed} WHERE ${sql} ORDER BY last_used_at DESC, id DESC LIMIT ?`)
    return statement.all(...values, limit) as unknown as ListedSession[]
  }

  /** By Claude Code's ids, archived ones too. */
  named(sessionIds: readonly string[]): ListedSession[] {
    const statement = this.#database.prepare(`${listed} WHERE session_id IN (SELECT value FROM json_each(?))`)
    return statement.all(JSON.stringify(sessionIds)) as unknown as ListedSession[]
  }

  /**
   * At most two of Claude Code's ids that begin with `prefix`. "g" sorts after every character of a lower-case UUID.
   */
  beginningWith(prefix: string): readonly string[] {
    const sql = `SELECT session_id AS id FROM team_sessions WHERE session_id >= ?1 AND session_id < ?1 || 'g' LIMIT 2`
    return idsOf(this.#database.prepare(sql).all(prefix))
  }

  /** Claude Code's ids of the 1000 conversations used last. */
  latest(): readonly string[] {
    const sql = 'SELECT session_id AS id FROM team_sessions ORDER BY last_used_at DESC LIMIT 1000'
    return idsOf(this.#database.prepare(sql).all())
  }

  /** Whether this participant has asked or answered in a conversation. */
  hasParticipant(name: string): boolean {
    const sql = 'SELECT 1 FROM team_sessions WHERE from_team = ?1 OR to_team = ?1 LIMIT 1'
    return this.#database.prepare(sql).get(name) !== undefined
  }

  /** The command line of its last process start, and its team's settings then (JSON), both without secrets. */
  launchOf({ id }: Pick<SessionRow, 'id'>): { readonly command: string | null; readonly snapshot: string | null } {
    const sql = 'SELECT launch_command AS command, team_config_snapshot AS snapshot FROM team_sessions WHERE id = ?'
    return this.#database.prepare(sql).get(id) as { command: string | null; snapshot: string | null }
  }
}

function listConditions({ status, origin, rows, after }: SessionListFilter): Condition[] {
  const conditions: Condition[] = []
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
