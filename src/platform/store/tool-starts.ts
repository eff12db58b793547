import type { DatabaseSync } from 'node:sqlite'
import { flag, number, type RowOf, Table, text } from './table.ts'

export const toolStarts = new Table('tool_starts', {
  turn: text(),
  toolUseId: text(),
  delivery: text(),
  name: text(),
  /** SHA-256 of the input as JSON, hex. */
  inputHash: text(),
  /** The input, shortened and without secrets. */
  inputShort: text(),
  /** The tool use that started the subagent that uses this tool; null if the turn's own agent uses it. */
  within: text<string | null>(),
  /** Milliseconds since the epoch. */
  startedAt: number(),
  /** Milliseconds since the epoch; null while the tool is running, and forever if its end was not seen. */
  endedAt: number<number | null>(),
  isError: flag<boolean | null>(),
})

export interface ToolStartRow extends RowOf<typeof toolStarts> {}

export type NewToolStart = Omit<ToolStartRow, 'endedAt' | 'isError'>

/** When a tool returned its result, and whether the result is an error. */
export interface ToolEnd {
  readonly toolUseId: string
  /** Milliseconds since the epoch. */
  readonly endedAt: number
  readonly isError: boolean
}

/** The tools that turns started, and their known ends. */
export class ToolStarts {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: toolStarts.insert(database, toolStarts.omit('endedAt', 'isError'), 'ON CONFLICT DO NOTHING'),
      any: database.prepare('SELECT 1 FROM tool_starts WHERE turn = ? LIMIT 1'),
      changed: toolStarts.update(
        database,
        toolStarts.pick('inputHash', 'inputShort'),
        ' WHERE turn = ? AND tool_use_id = ?',
      ),
      end: toolStarts.update(database, toolStarts.pick('endedAt', 'isError'), ' WHERE turn = ? AND tool_use_id = ?'),
      of: toolStarts.select(
        database,
        'FROM tool_starts WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY started_at LIMIT ?',
      ),
    }
  }

  /** Call before the tool may run. A second call for the same start has no effect. */
  add(start: NewToolStart): void {
    this.#statements.add.run(start)
  }

  /** Records that the tool runs with a different input than was recorded at its start. */
  runsWith(start: Pick<NewToolStart, 'turn' | 'toolUseId' | 'inputHash' | 'inputShort'>): void {
    this.#statements.changed.run(start, start.turn, start.toolUseId)
  }

  /** Whether the turn has started any tool. */
  hasAny(turn: string): boolean {
    return this.#statements.any.get(turn) !== undefined
  }

  /** Records the tool ends of one turn, in the transaction that settles it. */
  end(turn: string, ends: Iterable<ToolEnd>): void {
    for (const end of ends) this.#statements.end.run(end, turn, end.toolUseId)
  }

  /** At most `limit` tool starts of these turns, in order; -1 means all. */
  of(turns: readonly string[], limit = -1): ToolStartRow[] {
    return this.#statements.of.all(JSON.stringify(turns), limit)
  }
}
