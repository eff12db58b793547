import type { DatabaseSync } from 'node:sqlite'
import { number, type RowOf, Table, text } from './table.ts'

/** Subagents and tasks of turns that may continue in the background and report later. */
export const openAgents = new Table('open_agents', {
  turn: text(),
  toolUseId: text(),
  delivery: text(),
  /** The input, shortened and without secrets. */
  description: text(),
  /** Milliseconds since the epoch. */
  openedAt: number(),
})

export interface OpenAgent extends RowOf<typeof openAgents> {}

/** The open agents of turns that have not ended. Each method is one commit, or part of the caller's transaction. */
export class OpenAgents {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      open: openAgents.insert(database, openAgents.columns, 'ON CONFLICT DO NOTHING'),
      close: database.prepare('DELETE FROM open_agents WHERE turn = ? AND tool_use_id = ?'),
      closeAll: database.prepare('DELETE FROM open_agents WHERE turn = ?'),
      of: openAgents.select(database, 'FROM open_agents WHERE turn = ? ORDER BY opened_at, tool_use_id'),
    }
  }

  /** Call before the agent may start. A second call for the same tool use has no effect. */
  open(agent: OpenAgent): void {
    this.#statements.open.run(agent)
  }

  /** Call when the agent has given its last report. */
  close(turn: string, toolUseId: string): void {
    this.#statements.close.run(turn, toolUseId)
  }

  /** Part of the transaction that settles the turn. */
  closeAll(turn: string): void {
    this.#statements.closeAll.run(turn)
  }

  of(turn: string): OpenAgent[] {
    return this.#statements.of.all(turn)
  }
}
