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
  /** For an agent that came through the endpoint of its session: that endpoint. */
  readonly endpoint?: SessionEndpoint
  /** For a browser: its login. */
  readonly loginId?: string
  /** For a program with its own token: its limit of calls a minute, if the token has one. */
  readonly callsPerMinute?: number | undefined
  /** For a command or a bridge of the owner: its share of calls, which no program can use up. */
  readonly share?: string | undefined
}

/** The key of the call limit: an agent's session, a share of the owner's, a browser of the owner's, or a credential. */
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
  /** The transport's key for this call, where the client may repeat it. */
  readonly idempotencyKey: string | undefined
  /** The trace that the caller says the call belongs to, unchecked. */
  readonly traceparent?: string | undefined
  /** Milliseconds after which the transport must answer: a longer wait ends then, as by its own timeout. */
  readonly maxWaitMs?: number | undefined
  /** A program reads the answer: it need not fit into the context of a model. */
  readonly isWhole?: boolean | undefined
  /** The session of a person whose bridge makes the call; late answers go there. */
  readonly console?: string | undefined
}
