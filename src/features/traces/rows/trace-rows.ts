import type { DatabaseSync } from 'node:sqlite'
import { type TurnSummary, turnSummaries } from '../../../platform/store/turn-list.ts'
import type { PermissionRow } from '../../permission/rows/permissions.ts'

/** An ask, with the turn whose agent made it. */
export interface AskRow {
  readonly id: string
  readonly parentTurn: string
  readonly parentToolUse: string | null
}

export interface LaterDelivery {
  readonly turn: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Turns of which one retries the other. */
export interface RetryRow {
  readonly turn: string
  readonly retryOf: string | null
  readonly retriedBy: string | null
}

export type AskedPermission = { readonly turn: string } & Pick<
  PermissionRow,
  'id' | 'toolUseId' | 'toolName' | 'askedAt' | 'deadline' | 'state' | 'decidedBy' | 'decidedAt'
>

const ofTurns = 'FROM turns JOIN team_sessions ON team_sessions.id = turns.session'

/** The turns of a tree, a page at a time, and what belongs to them. Read-only. */
export class TraceRows {
  readonly #statements

  constructor(database: DatabaseSync) {
    const those = '(SELECT value FROM json_each(?1))'
    this.#statements = {
      // The recursion takes the earliest turn next. An ask comes after the turn that made it, so a page has no gaps.
      tree: turnSummaries.prepare(
        database,
        `WITH RECURSIVE tree (id, place) AS (
           SELECT id, sequence FROM turns WHERE id = ?1
           UNION ALL SELECT turns.id, turns.sequence FROM turns JOIN tree ON turns.parent_turn = tree.id ORDER BY 2)
         SELECT ${turnSummaries.list} ${ofTurns}
         WHERE turns.sequence IN (SELECT place FROM tree WHERE place > ?2 LIMIT ?3) ORDER BY turns.sequence`,
      ),
      one: turnSummaries.select(database, `${ofTurns} WHERE turns.id = ?`),
      asked: turnSummaries.select(database, `${ofTurns} WHERE turns.parent_turn = ? ORDER BY turns.sequence LIMIT ?`),
      asks: database.prepare(`
        SELECT id, parent_turn AS parentTurn, parent_tool_use AS parentToolUse FROM turns WHERE parent_turn IN ${those}`),
      laterDeliveries: database.prepare(`
        SELECT turn, committed_at AS at FROM later_deliveries WHERE turn IN ${those} ORDER BY sequence`),
      retries: database.prepare(`
        SELECT id AS turn, (SELECT failed FROM retries WHERE turn = turns.id) AS retryOf,
          (SELECT turn FROM retries WHERE failed = turns.id) AS retriedBy
        FROM turns WHERE id IN ${those} AND (retryOf IS NOT NULL OR retriedBy IS NOT NULL)`),
      permissions: database.prepare(`
        SELECT id, turn, tool_use_id AS toolUseId, tool_name AS toolName, asked_at AS askedAt, deadline, state,
          decided_by AS decidedBy, decided_at AS decidedAt
        FROM permissions WHERE turn IN ${those} ORDER BY asked_at LIMIT ?2`),
    }
  }

  /**
   * At most `limit` turns of the tree under `root` with a sequence number above `after`, in the order of acceptance.
   */
  tree(root: string, after: number, limit: number): TurnSummary[] {
    return this.#statements.tree.all(root, after, limit)
  }

  one(turn: string): TurnSummary | undefined {
    return this.#statements.one.get(turn)
  }

  /** The turns that this turn's agent asked for, in the order of asking; at most `limit`. */
  askedIn(turn: string, limit: number): TurnSummary[] {
    return this.#statements.asked.all(turn, limit)
  }

  asksOf(turns: readonly string[]): AskRow[] {
    return this.#statements.asks.all(JSON.stringify(turns)) as unknown as AskRow[]
  }

  laterDeliveriesOf(turns: readonly string[]): LaterDelivery[] {
    return this.#statements.laterDeliveries.all(JSON.stringify(turns)) as unknown as LaterDelivery[]
  }

  retriesOf(turns: readonly string[]): RetryRow[] {
    return this.#statements.retries.all(JSON.stringify(turns)) as unknown as RetryRow[]
  }

  permissionsOf(turns: readonly string[], limit: number): AskedPermission[] {
    return this.#statements.permissions.all(JSON.stringify(turns), limit) as unknown as AskedPermission[]
  }
}
