import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { TurnProgress } from '../../base/protocol/turn.ts'
import type { SessionEndpoint } from '../pool/session-endpoints.ts'
import { actorOf, type Principal } from './principal.ts'

/** What the connection shows about a call: the calling principal, its team and its turn. */
export interface AuthContext {
  readonly principal: Principal
  /** The team that the connection identifies. Undefined if the call itself may name its team. */
  readonly team: string | undefined
  /** For an agent: the turn on which it is working, that turn's conversation, and the tool use that makes this call. */
  readonly parent:
    | {
        readonly turnId: string
        readonly session: Pair & { readonly sessionId: string }
        readonly toolUseId: string
      }
    | undefined
  /** The session endpoint through which an agent calls, if it does. */
  readonly endpoint?: SessionEndpoint
  /** The login of a browser. */
  readonly loginId?: string
  /** For a program with its own token: the token's limit of calls per minute, if it has one. */
  readonly callsPerMinute?: number | undefined
  /** The share of calls that is reserved for the owner's commands and bridges, so that no program can use it up. */
  readonly share?: string | undefined
}

/**
 * The key of the call limit: an agent's session, one of the owner's shares, one of the owner's browsers, or a
 * credential.
 */
export function countedAs({ principal, parent, share, loginId }: AuthContext): string {
  if (parent) return `${principal.kind}:${pairText(parent.session)}`
  if (share !== undefined) return `share:${share}`
  return loginId !== undefined && principal.kind === 'owner' ? `login:${loginId}` : actorOf(principal)
}

/** One call of an operation. */
export interface Call {
  readonly auth: AuthContext
  /** Aborted when nobody waits for the answer any more. Ends the wait, never a turn. */
  readonly signal: AbortSignal
  readonly progress: (progress: Partial<TurnProgress> & Pick<TurnProgress, 'message'>) => void
  /** The transport's idempotency key for this call, if the client may repeat the call. */
  readonly idempotencyKey: string | undefined
  /** The trace to which the call belongs according to the caller. Not checked. */
  readonly traceparent?: string | undefined
  /**
   * Milliseconds after which the transport must answer. A wait that would take longer ends then, as if its own timeout
   * had expired.
   */
  readonly maxWaitMs?: number | undefined
  /** A program reads the answer, so the answer need not fit into a model's context. */
  readonly isWhole?: boolean | undefined
  /** The Claude Code session of the person whose bridge makes the call. Late answers go to that session. */
  readonly console?: string | undefined
}
