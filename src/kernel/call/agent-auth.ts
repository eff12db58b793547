import { roleOfThread } from '../../base/protocol/role.ts'
import type { Config } from '../../platform/config/config.ts'
import { isLimited, roleOf } from '../../platform/config/roles.ts'
import type { SessionEndpoint, SessionEndpoints } from '../pool/session-endpoints.ts'
import type { Session } from '../session/session.ts'
import type { AuthContext } from './call.ts'
import { agentOf } from './principal.ts'

type FoundEndpoint = ReturnType<SessionEndpoints['find']>

/** The agent of a session as a caller, with its current turn and the rights of its role. */
export function agentAuth(session: Session, toolUseId: string, config: Pick<Config, 'roles'>): AuthContext {
  const turn = session.turnOf(toolUseId)
  const role = roleOfThread(session.thread)
  const isHeld = role !== undefined && isLimited(roleOf(config, role))
  return {
    principal: agentOf(session.to, isHeld ? role : undefined),
    team: session.to,
    parent: turn && { turnId: turn.id, session: session.ids, toolUseId },
  }
}

/**
 * The caller at a session endpoint. If there is no such endpoint (`ended` or undefined), returns the argument as it is.
 */
export function authAt(
  endpoint: FoundEndpoint,
  toolUseId: string,
  config: Pick<Config, 'roles'>,
): AuthContext | Exclude<FoundEndpoint, SessionEndpoint> {
  return typeof endpoint === 'object' ? { ...agentAuth(endpoint.session, toolUseId, config), endpoint } : endpoint
}
