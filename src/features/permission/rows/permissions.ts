import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { transaction } from '../../../platform/store/database.ts'
import type { PermissionScope, permissionStates } from '../contract/permissions.ts'

export type PermissionState = (typeof permissionStates)[number]

/** A question whether a tool may run. Times are milliseconds since the epoch. */
export interface PermissionRow {
  readonly id: string
  /** Row id of its session. */
  readonly session: number
  readonly from: string
  /** The team whose tool it is. */
  readonly to: string
  readonly thread: string
  readonly sessionId: string
  /** The id of the process start that asks. */
  readonly processStart: string
  readonly turn: string | null
  readonly toolUseId: string
  readonly toolName: string
  readonly input: Readonly<Record<string, unknown>>
  /** SHA-256 of the input as JSON, hex. */
  readonly inputHash: string
  /** The rules that Claude Code suggested. */
  readonly suggestions: readonly unknown[]
  readonly blockedPath: string | null
  /** Why Iris asks, where Claude Code would not; null: Claude Code asks. */
  readonly why: string | null
  readonly directory: string
  /** The chain of asks, from the first asker to the team whose tool it is. */
  readonly chain: readonly string[]
  readonly askedAt: number
  readonly deadline: number
  readonly state: PermissionState
  readonly decidedBy: string | null
  readonly decidedAt: number | null
  readonly scope: PermissionScope | null
  /** The input that the tool ran with, if the answer changed it. */
  readonly updatedInput: Readonly<Record<string, unknown>> | null
  /** The text of a denial for the agent; null when the tool was allowed. */
  readonly message: string | null
}

type Decided = Pick<PermissionRow, 'decidedBy' | 'decidedAt' | 'scope' | 'updatedInput' | 'message'>

export type NewPermission = Omit<PermissionRow, 'from' | 'to' | 'thread' | 'sessionId' | 'state' | keyof Decided>

export type PermissionDecision = Decided & { readonly state: Exclude<PermissionState, 'pending'> }

export interface PermissionFilter {
  readonly state: 'pending' | 'decided' | 'all'
  readonly team: string | undefined
  readonly limit: number
}

const selected = `SELECT p.id, p.session, s.from_team AS "from", s.to_team AS "to", s.thread, s.session_id AS sessionId,
  p.process_start AS processStart, p.turn, p.tool_use_id AS toolUseId, p.tool_name AS toolName, p.input,
  p.input_hash AS inputHash, p.suggestions, p.blocked_path AS blockedPath, p.directory, p.chain, p.asked_at AS askedAt,
  p.deadline, p.state, p.decided_by AS decidedBy, p.decided_at AS decidedAt, p.scope,
  p.updated_input AS updatedInput, p.message, p.why
  FROM permissions AS p JOIN team_sessions AS s ON s.id = p.session`

/** The table `permissions`: each question is decided once. */
export class PermissionRows {
  readonly #database: DatabaseSync
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#statements = {
      add: database.prepare(
        `INSERT INTO permissions (id, session, process_start, turn, tool_use_id, tool_name, input, input_hash,
           suggestions, blocked_path, directory, chain, asked_at, deadline, why)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      decide: database.prepare(
        `UPDATE permissions SET state = ?, decided_by = ?, decided_at = ?, scope = ?, updated_input = ?,
           message = ? WHERE id = ? AND state = 'pending'`,
      ),
      byId: database.prepare(`${selected} WHERE p.id = ?`),
      ofToolUse: database.prepare(
        `${selected} WHERE p.process_start = ? AND p.tool_use_id = ? ORDER BY p.asked_at DESC`,
      ),
      pending: database.prepare(`${selected} WHERE p.state = 'pending' ORDER BY p.asked_at, p.rowid`),
      list: database.prepare(
        `${selected} WHERE (?1 = 'all' OR (p.state = 'pending') = (?1 = 'pending')) AND (?2 IS NULL OR s.to_team = ?2)
         ORDER BY COALESCE(p.decided_at, p.asked_at) DESC, p.rowid DESC LIMIT ?3`,
      ),
    }
  }

  /** Runs `work` in a transaction, or in the caller's if one is open. */
  atomically<T>(work: () => T): T {
    return this.#database.isTransaction ? work() : transaction(this.#database, work)
  }

  add(row: NewPermission): void {
    this.#statements.add.run(
      ...[row.id, row.session, row.processStart, row.turn, row.toolUseId, row.toolName, JSON.stringify(row.input)],
      ...[row.inputHash, JSON.stringify(row.suggestions), row.blockedPath, row.directory, JSON.stringify(row.chain)],
      ...[row.askedAt, row.deadline, row.why],
    )
  }

  /** False when it was decided before: the first decision stays. */
  decide(id: string, { state, decidedBy, decidedAt, scope, updatedInput, message }: PermissionDecision): boolean {
    const changed = updatedInput && JSON.stringify(updatedInput)
    return Number(this.#statements.decide.run(state, decidedBy, decidedAt, scope, changed, message, id).changes) > 0
  }

  find(id: string): PermissionRow | undefined {
    const raw = this.#statements.byId.get(id)
    return raw && toRow(raw)
  }

  /** The question of this process start about a tool use. */
  ofToolUse(processStart: string, toolUseId: string): PermissionRow | undefined {
    const raw = this.#statements.ofToolUse.get(processStart, toolUseId)
    return raw && toRow(raw)
  }

  /** All undecided questions, the oldest first. */
  pending(): PermissionRow[] {
    return this.#statements.pending.all().map(toRow)
  }

  /** In the order of their decisions, or else of the questions, the newest first. */
  list({ state, team, limit }: PermissionFilter): PermissionRow[] {
    return this.#statements.list.all(state, team ?? null, limit).map(toRow)
  }
}

function toRow(raw: Record<string, SQLOutputValue>): PermissionRow {
  const columns = ['input', 'updatedInput', 'suggestions', 'chain']
  const parsed = columns.map((name) => [name, JSON.parse(String(raw[name]))])
  return { ...(raw as unknown as PermissionRow), ...Object.fromEntries(parsed) }
}
