import type { DatabaseSync } from 'node:sqlite'
import { sessions } from '../../../platform/store/sessions.ts'
import { number, type RowOf, Selection, Table, text } from '../../../platform/store/table.ts'

/** Answers to questions that stay in force. */
export const grants = new Table('permission_grants', {
  id: number(),
  ...sessions.pick('from', 'to'),
  /**
   * The row of the session to which it applies; null if it applies to the pair, in all its threads and later sessions.
   */
  session: number<number | null>(),
  decision: text<'allow' | 'deny'>(),
  /** In the syntax of Claude Code. */
  rule: text(),
  /** The question that it answered. */
  permission: text(),
  /** Milliseconds since the epoch. */
  grantedAt: number(),
})

const withThread = new Selection({
  ...grants.columns,
  id: number('permission_grants.id'),
  from: text('permission_grants.from_team'),
  to: text('permission_grants.to_team'),
  thread: text<string | null>('team_sessions.thread'),
})

type GrantRow = RowOf<typeof grants>

export type PermissionGrant = Omit<GrantRow, 'id'>

/** The table `permission_grants`. */
export class PermissionGrants {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: grants.insertReturning(database, grants.omit('id'), new Selection(grants.pick('id'))),
      ofPair: grants.select(
        database,
        `FROM permission_grants
         WHERE from_team = ? AND to_team = ? AND (session IS NULL OR session = ?) ORDER BY id`,
      ),
      all: withThread.select(
        database,
        `FROM permission_grants LEFT JOIN team_sessions ON team_sessions.id = session ORDER BY permission_grants.id DESC`,
      ),
      remove: database.prepare('DELETE FROM permission_grants WHERE id = ?'),
    }
  }

  add(grant: PermissionGrant): number {
    return this.#statements.add.get(grant).id
  }

  /** The grants that apply to one session: its own and its pair's, oldest first. */
  of(pair: { readonly from: string; readonly to: string }, session: number): GrantRow[] {
    return this.#statements.ofPair.all(pair.from, pair.to, session)
  }

  /** All grants, the newest first; `thread` is the thread of the grant's session, or null for a grant to a pair. */
  all(): RowOf<typeof withThread>[] {
    return this.#statements.all.all()
  }

  /** Returns false if there was no such grant. */
  remove(id: number): boolean {
    return Number(this.#statements.remove.run(id).changes) > 0
  }
}
