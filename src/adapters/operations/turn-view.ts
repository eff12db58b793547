import type { Pair } from '../../base/protocol/party.ts'
import type { BackgroundCommand, Outcome, Reason, Subagent, TurnResult, Usage } from '../../base/protocol/turn.ts'
import type { TurnStatus } from '../../core/orchestrator/turn-handle.ts'

/** What is known of a turn, living or from the ledger, in one shape. */
interface Known {
  readonly id: string
  readonly pair: Pair
  readonly sessionId: string
  readonly outcome: Outcome | null
  readonly reason: Reason | null
  readonly detail: string | null
  readonly answer: string | null
  readonly partial: string | null
  readonly usage: Usage | null
  readonly background: readonly BackgroundCommand[] | null
  /** Of a living turn. */
  readonly subagents: readonly Subagent[]
  readonly contextReset: string | null
  readonly acceptedAt: number
  readonly dispatchedAt: number | null
  readonly startedAt: number | null
  readonly settledAt: number | null
}

function known(found: TurnStatus, { rowOf }: ViewFacts): Known {
  if ('row' in found) {
    const session = rowOf(found.row.session)
    return { ...found.row, pair: session, sessionId: session.sessionId, subagents: [] }
  }
  const { live: turn } = found
  const end = turn.end ?? {
    outcome: null,
    reason: null,
    detail: null,
    answer: null,
    partial: null,
    usage: null,
    background: null,
    sessionId: turn.sessionId,
    settledAt: null,
  }
  const { acceptedAt } = turn.facts
  const { id, pair, contextReset, dispatchedAt, startedAt } = turn
  const partial = end.outcome === null ? turn.partialText : end.partial
  const subagents = end.outcome === null ? turn.subagents : []
  return { ...end, id, pair, contextReset, acceptedAt, dispatchedAt, startedAt, partial, subagents }
}

export interface ViewFacts {
  /** For a turn that no longer lives. */
  readonly now: number
  readonly rowOf: (session: number) => Pair & { readonly sessionId: string }
  /** Takes secrets out of what Iris says itself. */
  readonly withoutSecrets: (text: string) => string
  /** Said of a turn that goes on. */
  readonly ongoing: 'async' | 'mcp_timeout'
}

/** What a caller is told of a turn. There is a `response` only when it completed. */
export function turnView(found: TurnStatus, facts: ViewFacts): TurnResult {
  const turn = known(found, facts)
  const now = 'live' in found ? found.live.now : facts.now
  const since = (at: number | null): number => Math.max(0, (at ?? now) - turn.acceptedAt)
  const { from, to, thread } = turn.pair
  return {
    status: turn.outcome ?? facts.ongoing,
    turnId: turn.id,
    sessionId: turn.sessionId,
    from,
    to,
    thread,
    ...(turn.outcome === 'completed' && { response: turn.answer ?? '' }),
    ...(turn.outcome !== 'completed' && turn.partial && { partialResponse: turn.partial }),
    ...(turn.reason !== null && { reason: turn.reason }),
    ...(turn.detail !== null && { detail: facts.withoutSecrets(turn.detail) }),
    ...(turn.background !== null && { background: [...turn.background] }),
    ...(turn.subagents.length > 0 && { subagents: [...turn.subagents] }),
    ...(turn.contextReset !== null && { contextReset: turn.contextReset }),
    delivered: turn.startedAt !== null,
    queuedMs: since(turn.dispatchedAt ?? turn.settledAt),
    durationMs: since(turn.settledAt),
    ...(turn.usage !== null && { usage: turn.usage }),
  }
}
