import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { TurnProgress } from '../../base/protocol/turn.ts'
import type { SessionEndpoint } from '../pool/session-endpoints.ts'
import { actorOf, type Principal } from './principal.ts'

/** What the connection shows about a call: the calling principal, its team and its turn. */
export interface AuthContext {
  readonly principal: Principal
  /** The team that the connection identifies; undefined if the call may name one. */
  readonly team: string | undefined
  /** For an agent: the turn it works on, the conversation of that turn, and the tool use that makes this call. */
  readonly parent:
    | {
        readonly turnId: string
        readonly session: Pair & { readonly sessionId: string }
        readonly toolUseId: string
      }
    | undefined
  /** For an agent that came through its session endpoint: that endpoint. */
  readonly endpoint?: SessionEndpoint
  /** For a browser: its login. */
  readonly loginId?: string
  /** For a program with its own token: the token's limit of calls per minute, if it has one. */
  readonly callsPerMinute?: number | undefined
  /** For a command or a bridge of the owner: its share of calls, which no program can use up. */
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
  /** The trace to which the caller says the call belongs, unchecked. */
  readonly traceparent?: string | undefined
  /** Milliseconds after which the transport must answer. A longer wait ends then, as if its own timeout had expired. */
  readonly maxWaitMs?: number | undefined
  /** A program reads the answer, so it need not fit into a model's context. */
  readonly isWhole?: boolean | undefined
  /** The session of the person whose bridge makes the call; late answers go there. */
  readonly console?: string | undefined
}
