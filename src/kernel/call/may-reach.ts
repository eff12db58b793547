import type { Pair } from '../../base/protocol/pair.ts'
import type { TurnStatus } from '../orchestrator/turn-handle.ts'
import type { Call, Domain } from './call.ts'
import { may } from './policy.ts'

/** Whether the caller may read or cancel the turn: an agent, when its own team asked it; any other caller, always. */
export function mayReach(
  name: 'message_status' | 'session_cancel',
  status: TurnStatus,
  { auth }: Call,
  domain: Pick<Domain, 'sessions'>,
): boolean {
  return may(name, auth.principal, pairOfTurn(status, domain))
}

export function pairOfTurn(status: TurnStatus, { sessions }: Pick<Domain, 'sessions'>): Pair {
  return 'live' in status ? status.live.pair : sessions.rowOf(status.row.session)
}
