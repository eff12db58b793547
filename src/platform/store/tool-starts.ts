import type { DatabaseSync } from 'node:sqlite'

export interface NewToolStart {
  readonly turn: string
  readonly toolUseId: string
  readonly delivery: string
  /** The tool use of the subagent that uses it; null for the turn's own agent. */
  readonly within: string | null
  readonly name: string
  /** SHA-256 of the input as JSON, hex. */
  readonly inputHash: string
  /** The input in short, without secrets. */
  readonly inputShort: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** When a tool returned its result, and whether that is an error. */
export interface ToolEnd {
  readonly toolUseId: string
  /** Milliseconds since the epoch. */
  readonly endedAt: number
  readonly isError: boolean
}

export interface ToolStartRow extends NewToolStart {
  /** Null while the tool runs, and forever if its end was not seen. */
  readonly endedAt: number | null
  readonly isError: boolean | null
}

/** The tools that turns started, and their ends as far as they are known. */
export class ToolStarts {
  readonly #statements

  constructor(database: DatabaseSync) {
    const columns = `turn, tool_use_id AS toolUseId, delivery, name, input_hash AS inputHash, input_short AS inputShort, within,
      started_at AS startedAt, ended_at AS endedAt, is_error AS isError`
    this.#statements = {
      add: database.prepare(
        `INSERT INTO tool_starts (turn, tool_use_id, delivery, within, name, input_hash, input_short, started_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ),
      any: database.prepare('SELECT 1 FROM tool_starts WHERE turn = ? LIMIT 1'),
      changed: database.prepare(
        'UPDATE tool_starts SET input_hash = ?, input_short = ? WHERE turn = ? AND tool_use_id = ?',
      ),
      end: database.prepare('UPDATE tool_starts SET ended_at = ?, is_error = ? WHERE turn = ? AND tool_use_id = ?'),
      of: database.prepare(
        `SELECT ${columns} FROM tool_starts WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY started_at LIMIT ?`,
      ),
    }
  }

  /** Call before the tool may run. A second call for the same start has no effect. */
  add({ turn, toolUseId, delivery, within, name, inputHash, inputShort, startedAt }: NewToolStart): void {
    this.#statements.add.run(turn, toolUseId, delivery, within, name, inputHash, inputShort, startedAt)
  }

  /** The tool runs with another input than was recorded with its start. */
  runsWith({
    turn,
    toolUseId,
    inputHash,
    inputShort,
  }: Omit<NewToolStart, 'delivery' | 'within' | 'name' | 'startedAt'>) {
    this.#statements.changed.run(inputHash, inputShort, turn, toolUseId)
  }

  /** Whether the turn has started any. */
  hasAny(turn: string): boolean {
    return this.#statements.any.get(turn) !== undefined
  }

  /** Records the tool ends of one turn, in the transaction that settles it. */
  end(turn: string, ends: Iterable<ToolEnd>): void {
    for (const { toolUseId, endedAt, isError } of ends)
      this.#statements.end.run(endedAt, isError ? 1 : 0, turn, toolUseId)
  }

  /** The tool starts of these turns in the order of their starts; at most `limit`, -1: all. */
  of(turns: readonly string[], limit = -1): ToolStartRow[] {
    const rows = this.#statements.of.all(JSON.stringify(turns), limit) as unknown as ToolStartRow[]
    return rows.map((row) => ({ ...row, isError: row.isError === null ? null : Boolean(row.isError) }))
  }
}
