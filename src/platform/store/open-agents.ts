import type { DatabaseSync } from 'node:sqlite'

/** A subagent or task of a turn that may continue in the background and report later. */
export interface OpenAgent {
  readonly turn: string
  readonly toolUseId: string
  readonly delivery: string
  /** The input in short, without secrets. */
  readonly description: string
  /** Milliseconds since the epoch. */
  readonly openedAt: number
}

/** The open agents of turns that have not ended. Each method is one commit, or part of the caller's transaction. */
export class OpenAgents {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      open: database.prepare(
        `INSERT INTO open_agents (turn, tool_use_id, delivery, description, opened_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
      ),
      close: database.prepare('DELETE FROM open_agents WHERE turn = ? AND tool_use_id = ?'),
      closeAll: database.prepare('DELETE FROM open_agents WHERE turn = ?'),
      of: database.prepare(
        `SELECT turn, tool_use_id AS toolUseId, delivery, description, opened_at AS openedAt FROM open_agents
         WHERE turn = ? ORDER BY opened_at, tool_use_id`,
      ),
    }
  }

  /** Call before it may start. A second call for the same tool use has no effect. */
  open({ turn, toolUseId, delivery, description, openedAt }: OpenAgent): void {
    this.#statements.open.run(turn, toolUseId, delivery, description, openedAt)
  }

  /** It has given its last report. */
  close(turn: string, toolUseId: string): void {
    this.#statements.close.run(turn, toolUseId)
  }

  /** Part of the transaction that settles the turn. */
  closeAll(turn: string): void {
    this.#statements.closeAll.run(turn)
  }

  of(turn: string): OpenAgent[] {
    return this.#statements.of.all(turn) as unknown as OpenAgent[]
  }
}
