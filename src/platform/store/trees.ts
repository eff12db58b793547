import type { DatabaseSync } from 'node:sqlite'
import type { Budget } from '../../base/protocol/budget.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Cancellation } from '../../base/protocol/turn.ts'
import { sessions } from './sessions.ts'
import { json, number, type RowOf, Selection, Table, text } from './table.ts'
import { turns } from './turns.ts'

/** What turns have used so far, as the ledger records it. */
const spent = new Selection({
  turns: number('COUNT(*)'),
  tokens: number(`COALESCE(SUM((usage ->> 'inputTokens') + (usage ->> 'outputTokens')
    + (usage ->> 'cacheReadTokens') + (usage ->> 'cacheWriteTokens')), 0)`),
  /** US dollars. */
  cost: number(`COALESCE(SUM(usage ->> 'costUsd'), 0.0)`),
  /** When the last of these turns ended, milliseconds since the epoch; null while one has not ended. */
  endedAt: number<number | null>(`CASE WHEN SUM(state <> 'settled') = 0 THEN MAX(settled_at) END`),
})

const budgetRow = new Selection({
  budget: json<Budget>(),
  ...turns.pick('acceptedAt'),
  ...sessions.pick('from', 'to', 'thread'),
})

export const sharedBudgets = new Table('shared_budgets', {
  id: text(),
  budget: json<Budget>(),
  acceptedAt: number(),
})

/** How many of the latest turns are searched for a mistyped id. */
const latestTurns = 1000

export interface Spent extends RowOf<typeof spent> {}

/** A budget with the id of its turn, or the id under which several turns share it. */
export interface BudgetRow {
  readonly id: string
  /** Undefined if several turns share the budget. */
  readonly pair: Pair | undefined
  readonly budget: Budget
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number
}

/** Trees of turns: an ask belongs to the turn whose agent made it, and thus to all turns above that one. */
export class TreeRows {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      spent: spent.prepare(
        database,
        `WITH RECURSIVE below (id) AS (
          VALUES (?1) UNION ALL SELECT id FROM turns WHERE shared_budget = ?1
          UNION ALL SELECT turns.id FROM turns JOIN below ON turns.parent_turn = below.id)
        SELECT ${spent.list} FROM below CROSS JOIN turns ON turns.id = below.id`,
      ),
      // The root comes first. The length of a chain is limited, so there are few rows.
      above: database.prepare(`
        WITH RECURSIVE above (id, height) AS (
          VALUES (?, 0) UNION ALL
          SELECT turns.parent_turn, height + 1 FROM turns JOIN above ON turns.id = above.id
          WHERE turns.parent_turn IS NOT NULL)
        SELECT id FROM above WHERE height > 0 ORDER BY height DESC`),
      budgetOf: budgetRow.select(
        database,
        'FROM turns JOIN team_sessions ON team_sessions.id = turns.session WHERE turns.id = ? AND budget IS NOT NULL',
      ),
      sharedIdOf: database.prepare('SELECT shared_budget AS id FROM turns WHERE id = ? AND shared_budget IS NOT NULL'),
      sharedBudget: sharedBudgets.select(database, 'FROM shared_budgets WHERE id = ?'),
      addShared: database.prepare('INSERT OR IGNORE INTO shared_budgets (id, budget, accepted_at) VALUES (?, ?, ?)'),
      setEnding: database.prepare(`
        UPDATE turns SET ending = ?2 WHERE id IN (SELECT value FROM json_each(?1)) AND state <> 'settled'`),
      // The query relies on "g", which sorts after every character of a lower-case UUID.
      beginningWith: database.prepare(`SELECT id FROM turns WHERE id >= ?1 AND id < ?1 || 'g' LIMIT 2`),
      latest: database.prepare(`SELECT id FROM turns ORDER BY sequence DESC LIMIT ${latestTurns}`),
    }
  }

  /**
   * What a turn and everything below it have used, or what all turns that use the shared budget with this id have used.
   */
  spent(id: string): Spent {
    return this.#statements.spent.get(id)!
  }

  /** The budget of a turn, or the shared budget with this id. Undefined for a turn without a budget of its own. */
  budgetOf(id: string): BudgetRow | undefined {
    const row = this.#statements.budgetOf.get(id)
    if (row === undefined) return this.#sharedBudget(id)
    const { acceptedAt, budget, ...pair } = row
    return { id, pair, budget, acceptedAt }
  }

  /** The ids of the turns above this one, from the root down. */
  above(turn: string): readonly string[] {
    return this.#statements.above.all(turn).map(({ id }) => String(id))
  }

  /**
   * The ids of the turns above this one, from the root down; each is preceded by the id of the shared budget that it
   * uses, if any. Ends with the turn's own shared budget.
   */
  budgetIdsAbove(turn: string): readonly string[] {
    const path = [...this.above(turn), turn]
    const ids = path.flatMap((id) => [...this.#statements.sharedIdOf.all(id).map((row) => String(row['id'])), id])
    // Leaves out the turn itself, which comes last.
    return ids.slice(0, -1)
  }

  /** Adds a budget that several turns share and refer to by its id. Only the first call for an id has an effect. */
  addShared(id: string, budget: Budget, acceptedAt: number): void {
    this.#statements.addShared.run(id, JSON.stringify(budget), acceptedAt)
  }

  #sharedBudget(id: string): BudgetRow | undefined {
    const row = this.#statements.sharedBudget.get(id)
    return row && { ...row, pair: undefined }
  }

  /** Marks turns as being cancelled, so that Iris does not resume them after a restart. */
  markEnding(turns: readonly string[], why: Cancellation): void {
    this.#statements.setEnding.run(JSON.stringify(turns), JSON.stringify(why))
  }

  /** At most two ids of turns that begin with `prefix`. */
  beginningWith(prefix: string): readonly string[] {
    return this.#statements.beginningWith.all(prefix).map(({ id }) => String(id))
  }

  /** The ids of the most recently accepted turns, latest first; at most `latestTurns`. */
  latest(): readonly string[] {
    return this.#statements.latest.all().map(({ id }) => String(id))
  }
}
