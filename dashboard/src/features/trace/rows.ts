import type { TracedTool, TracedTurn } from '../../../../src/features/traces/contract.ts'

export interface TraceRow {
  readonly turn: TracedTurn
  /** 0 for the root. */
  readonly depth: number
}

/** The turns of a tree one below the other, each followed by what its agent asked, in the order of asking. */
export function rowsOf(turns: readonly TracedTurn[]): readonly TraceRow[] {
  const known = new Set(turns.map(({ turnId }) => turnId))
  const asked = Map.groupBy(turns, ({ parentTurnId }) => (known.has(parentTurnId ?? '') ? parentTurnId : null))
  const under = (parent: string | null, depth: number): TraceRow[] =>
    (asked.get(parent) ?? []).flatMap((turn) => [{ turn, depth }, ...under(turn.turnId, depth + 1)])
  return under(null, 0)
}

/** When a tool ended, or else the latest time at which it may have been working. `end`: the end of its turn, or now. */
export function endOf(tool: TracedTool, { continuedAt }: TracedTurn, end: number): number {
  if (tool.endedAt !== null) return tool.endedAt
  return (tool.state === 'cut_off' ? continuedAt.find((at) => at >= tool.startedAt) : undefined) ?? end
}

export interface PlacedTool {
  readonly tool: TracedTool
  readonly from: number
  readonly to: number
}

/** Tools in as few lines as possible without overlaps, the earliest first. */
export function packed(tools: readonly PlacedTool[]): readonly (readonly PlacedTool[])[] {
  const lines: PlacedTool[][] = []
  for (const tool of tools.toSorted((a, b) => a.from - b.from)) {
    const free = lines.find((line) => line.at(-1)!.to <= tool.from)
    if (free) free.push(tool)
    else lines.push([tool])
  }
  return lines
}
