import type { Pair } from '../../base/protocol/pair.ts'
import type { SessionHandles } from '../accept/session-handle.ts'
import type { TurnStatus } from '../accept/turn-handle.ts'
import type { Call } from './call.ts'
import { may } from './policy.ts'

/** The dependencies of `mayReach` and `pairOfTurn`. */
export interface MayReachParts {
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
}

/**
 * Whether the caller may read or cancel the turn. An agent may do so only if its own team asked; any other caller
 * always may.
 */
export function mayReach(
  name: 'message_status' | 'session_cancel',
  status: TurnStatus,
  { auth }: Call,
  parts: Pick<MayReachParts, 'sessions'>,
): boolean {
  return may(name, auth.principal, pairOfTurn(status, parts))
}

export function pairOfTurn(status: TurnStatus, { sessions }: Pick<MayReachParts, 'sessions'>): Pair {
  return 'live' in status ? status.live.pair : sessions.rowOf(status.row.session)
}
