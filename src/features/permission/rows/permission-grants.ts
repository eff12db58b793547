import type { DatabaseSync } from 'node:sqlite'

/** An answer to a question that stays in force. */
export interface PermissionGrant {
  readonly from: string
  readonly to: string
  /** The row of the session that it holds for; null for the pair, in all its threads and later sessions. */
  readonly session: number | null
  readonly decision: 'allow' | 'deny'
  /** In the syntax of Claude Code. */
  readonly rule: string
  /** The question that it answered. */
  readonly permission: string
  /** Milliseconds since the epoch. */
  readonly grantedAt: number
}

const columns = `id, from_team AS "from", to_team AS "to", session, decision, rule, permission, granted_at AS grantedAt`

/** The table `permission_grants`. */
export class PermissionGrants {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: database.prepare(
        `INSERT INTO permission_grants (from_team, to_team, session, decision, rule, permission, granted_at)
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
      ),
      ofPair: database.prepare(
        `SELECT ${columns} FROM permission_grants
         WHERE from_team = ? AND to_team = ? AND (session IS NULL OR session = ?) ORDER BY id`,
      ),
      all: database.prepare(
        `SELECT permission_grants.id, permission_grants.from_team AS "from", permission_grants.to_team AS "to", session,
           decision, rule, permission, granted_at AS grantedAt, team_sessions.thread
         FROM permission_grants LEFT JOIN team_sessions ON team_sessions.id = session ORDER BY permission_grants.id DESC`,
      ),
      remove: database.prepare('DELETE FROM permission_grants WHERE id = ?'),
    }
  }

  add({ from, to, session, decision, rule, permission, grantedAt }: PermissionGrant): number {
    return Number(this.#statements.add.get(from, to, session, decision, rule, permission, grantedAt)?.['id'])
  }

  /** The grants that apply to one session: its own and its pair's, oldest first. */
  of(
    pair: { readonly from: string; readonly to: string },
    session: number,
  ): (PermissionGrant & { readonly id: number })[] {
    return this.#statements.ofPair.all(pair.from, pair.to, session) as unknown as (PermissionGrant & { id: number })[]
  }

  /** All grants, the newest first; `thread` is that of the grant's session, null for a grant to a pair. */
  all(): (PermissionGrant & { readonly id: number; readonly thread: string | null })[] {
    return this.#statements.all.all() as never
  }

  /** False when there was no such grant. */
  remove(id: number): boolean {
    return Number(this.#statements.remove.run(id).changes) > 0
  }
}
