import type { FoundTurn } from '../orchestrator/orchestrator.ts'
import type { Call, Domain } from './call.ts'

/** An agent reads, and cancels, what its own team asked, everybody else anything. */
export function mayRead(found: FoundTurn, { caller }: Call, { sessions }: Domain): boolean {
  if (caller.kind !== 'agent') return true
  const pair = 'live' in found ? found.live.pair : sessions.rowOf(found.row.session)
  return pair.from === caller.party
}
