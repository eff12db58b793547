import type { DatabaseSync } from 'node:sqlite'
import type { PermissionScope, permissionStates } from '../../../base/protocol/permission-view.ts'
import { transaction } from '../../../platform/store/database.ts'
import type { JournalRows } from '../../../platform/store/journal.ts'
import { sessions } from '../../../platform/store/sessions.ts'
import { json, number, type RowOf, Selection, Table, text } from '../../../platform/store/table.ts'

export type PermissionState = (typeof permissionStates)[number]

/** Questions about whether tools may run. Times are milliseconds since the epoch. */
export const permissions = new Table('permissions', {
  id: text(),
  /** Row id of its session. */
  session: number(),
  /** The id of the process start that asks. */
  processStart: text(),
  turn: text<string | null>(),
  toolUseId: text(),
  toolName: text(),
  input: json<Readonly<Record<string, unknown>>>(),
  /** SHA-256 of the input as JSON, hex. */
  inputHash: text(),
  /** The rules that Claude Code suggested. */
  suggestions: json<readonly unknown[]>(),
  blockedPath: text<string | null>(),
  /** Why Iris asks although Claude Code would not; null if Claude Code itself asks. */
  why: text<string | null>(),
  directory: text(),
  /** The chain of asks, from the first asker to the team whose tool it is. */
  chain: json<readonly string[]>(),
  askedAt: number(),
  deadline: number(),
  state: text<PermissionState>(),
  decidedBy: text<string | null>(),
  decidedAt: number<number | null>(),
  scope: text<PermissionScope | null>(),
  /** The input that the tool ran with, if the answer changed it. */
  updatedInput: json<Readonly<Record<string, unknown>> | null>(),
  /** The text of a denial for the agent; null when the tool was allowed. */
  message: text<string | null>(),
})

/** A question with the pair of its session. `to` is the team whose tool it is. */
const ofSession = new Selection({
  ...permissions.columns,
  id: text('permissions.id'),
  ...sessions.pick('from', 'to', 'thread', 'sessionId'),
})

const ofTurn = new Selection(permissions.pick('turn'))

export interface PermissionRow extends RowOf<typeof ofSession> {}

const decided = ['decidedBy', 'decidedAt', 'scope', 'updatedInput', 'message'] as const

type Decided = Pick<PermissionRow, (typeof decided)[number]>

export type NewPermission = Omit<PermissionRow, 'from' | 'to' | 'thread' | 'sessionId' | 'state' | keyof Decided>

export type PermissionDecision = Decided & { readonly state: Exclude<PermissionState, 'pending'> }

export interface PermissionFilter {
  readonly state: 'pending' | 'decided' | 'all'
  readonly team: string | undefined
  readonly limit: number
  /** The last question of the previous page: its time, milliseconds since the epoch, and its id. */
  readonly after?: { readonly at: number; readonly id: string } | undefined
}

const tables = 'permissions JOIN team_sessions ON team_sessions.id = permissions.session'

/** The table `permissions`: each question is decided once. */
export class PermissionRows {
  readonly #database: DatabaseSync
  readonly #journal: Pick<JournalRows, 'add'>
  readonly #statements

  constructor(database: DatabaseSync, journal: Pick<JournalRows, 'add'>) {
    this.#database = database
    this.#journal = journal
    this.#statements = {
      add: permissions.insert(database, permissions.omit('state', ...decided)),
      decide: permissions.update(
        database,
        permissions.pick('state', ...decided),
        ` WHERE id = ? AND state = 'pending'`,
      ),
      turnOf: ofTurn.select(database, 'FROM permissions WHERE id = ?'),
      byId: ofSession.select(database, `FROM ${tables} WHERE permissions.id = ?`),
      ofToolUse: ofSession.select(
        database,
        `FROM ${tables} WHERE process_start = ? AND tool_use_id = ? ORDER BY asked_at DESC`,
      ),
      pending: ofSession.select(
        database,
        `FROM ${tables} WHERE state = 'pending' ORDER BY asked_at, permissions.rowid`,
      ),
      list: ofSession.select(
        database,
        `FROM ${tables} WHERE (?1 = 'all' OR (state = 'pending') = (?1 = 'pending')) AND (?2 IS NULL OR to_team = ?2)
         AND (?4 IS NULL OR (COALESCE(decided_at, asked_at), permissions.rowid) < (?4, (SELECT rowid FROM permissions WHERE id = ?5)))
         ORDER BY COALESCE(decided_at, asked_at) DESC, permissions.rowid DESC LIMIT ?3`,
      ),
    }
  }

  /** Runs `work` in a transaction, or in the caller's if one is open. */
  atomically<T>(work: () => T): T {
    return this.#database.isTransaction ? work() : transaction(this.#database, work)
  }

  add(row: NewPermission): void {
    this.atomically(() => {
      this.#statements.add.run(row)
      const { askedAt: at, turn, id: question } = row
      if (turn !== null) this.#journal.add({ at, type: 'permission:request', turn, question })
    })
  }

  /** Returns false if the question had already been decided: the first decision stays. */
  decide(id: string, decision: PermissionDecision): boolean {
    return this.atomically(() => {
      if (Number(this.#statements.decide.run(decision, id).changes) === 0) return false
      const turn = this.#statements.turnOf.get(id)?.turn ?? null
      const type = decision.state === 'timed_out' ? 'permission:timeout' : 'permission:resolved'
      if (turn !== null) this.#journal.add({ at: decision.decidedAt ?? 0, type, turn, question: id })
      return true
    })
  }

  find(id: string): PermissionRow | undefined {
    return this.#statements.byId.get(id)
  }

  /** The question of this process start about a tool use. */
  ofToolUse(processStart: string, toolUseId: string): PermissionRow | undefined {
    return this.#statements.ofToolUse.get(processStart, toolUseId)
  }

  /** All undecided questions, the oldest first. */
  pending(): PermissionRow[] {
    return this.#statements.pending.all()
  }

  /** The newest first: by the time of the decision, or if a question is undecided, by the time it was asked. */
  list({ state, team, limit, after }: PermissionFilter): PermissionRow[] {
    return this.#statements.list.all(state, team ?? null, limit, after?.at ?? null, after?.id ?? null)
  }
}
