import type { Span, SpanKind, TracedTurn } from '../../../../src/features/traces/contract.ts'
import type { Output } from '../../shared/api/operations.ts'

export type Trace = Output<'trace_turn'>

/** A trace as it will be at `now`, milliseconds since the epoch, if nothing happens until then: running parts grow. */
export function grown(trace: Trace, now: number): Trace {
  const passed = now - trace.timestamp
  if (passed <= 0 || trace.turns.every(({ settledAt }) => settledAt !== null)) return trace
  const turns = trace.turns.map((turn) => (turn.settledAt === null ? grownTurn(turn, now) : turn))
  const root = trace.turns.find(({ turnId }) => turnId === trace.rootTurnId)
  const kind = root && currentKind(root, trace.turns)
  const times = kind ? { ...trace.times, [kind]: trace.times[kind] + passed } : trace.times
  return { ...trace, turns, times, timestamp: now }
}

function grownTurn(turn: TracedTurn, now: number): TracedTurn {
  const last = turn.spans.at(-1)
  if (last === undefined) return turn
  const spans: Span[] = [...turn.spans.slice(0, -1), { ...last, to: now }]
  return { ...turn, spans, times: { ...turn.times, [last.kind]: turn.times[last.kind] + now - last.to } }
}

/** What a tree is doing: what its root is doing, or what the team that the root waits for is doing. */
function currentKind(turn: TracedTurn, turns: readonly TracedTurn[]): SpanKind | undefined {
  if (turn.settledAt !== null) return undefined
  const kind = turn.spans.at(-1)?.kind
  const asked = kind === 'team' && turns.find((each) => each.parentTurnId === turn.turnId && each.settledAt === null)
  return asked ? currentKind(asked, turns) : kind
}
