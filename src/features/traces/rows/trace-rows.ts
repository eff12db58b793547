import type { DatabaseSync } from 'node:sqlite'
import { retryColumns } from '../../../platform/store/retries.ts'
import { number, type RowOf, Selection, text } from '../../../platform/store/table.ts'
import { type TurnSummary, turnSummaries } from '../../../platform/store/turn-list.ts'
import { turns } from '../../../platform/store/turns.ts'
import { permissions } from '../../permission/rows/permissions.ts'

/** An ask, with the turn whose agent made it. */
const asks = new Selection({ ...turns.pick('id', 'parentToolUse'), parentTurn: text() })

const laterDeliveries = new Selection({
  turn: text(),
  /** Milliseconds since the epoch. */
  at: number('committed_at'),
})

/** Pairs of turns in which one turn retries the other. */
const retries = new Selection({ turn: text('id'), ...retryColumns })

const asked = new Selection({
  ...permissions.pick('id', 'toolUseId', 'toolName', 'askedAt', 'deadline', 'state', 'decidedBy', 'decidedAt'),
  turn: text(),
})

export interface AskRow extends RowOf<typeof asks> {}

export interface LaterDelivery extends RowOf<typeof laterDeliveries> {}

export interface RetryRow extends RowOf<typeof retries> {}

export interface AskedPermission extends RowOf<typeof asked> {}

const ofTurns = 'FROM turns JOIN team_sessions ON team_sessions.id = turns.session'

/** Reads the turns of a tree, a page at a time, with their tools and permission requests. */
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
      asks: asks.select(database, `FROM turns WHERE parent_turn IN ${those}`),
      laterDeliveries: laterDeliveries.select(
        database,
        `FROM later_deliveries WHERE turn IN ${those} ORDER BY sequence`,
      ),
      retries: retries.select(
        database,
        `FROM turns WHERE id IN ${those} AND (retryOf IS NOT NULL OR retriedBy IS NOT NULL)`,
      ),
      permissions: asked.select(database, `FROM permissions WHERE turn IN ${those} ORDER BY asked_at LIMIT ?2`),
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
    return this.#statements.asks.all(JSON.stringify(turns))
  }

  laterDeliveriesOf(turns: readonly string[]): LaterDelivery[] {
    return this.#statements.laterDeliveries.all(JSON.stringify(turns))
  }

  retriesOf(turns: readonly string[]): RetryRow[] {
    return this.#statements.retries.all(JSON.stringify(turns))
  }

  permissionsOf(turns: readonly string[], limit: number): AskedPermission[] {
    return this.#statements.permissions.all(JSON.stringify(turns), limit)
  }
}
