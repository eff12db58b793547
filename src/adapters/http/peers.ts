import type { Socket } from 'node:net'
import type { AuthContext } from '../../kernel/call/call.ts'

/**
 * Whose process is at the other end of a connection. `own`: the person's. `agent`: an agent's, and the caller it counts
 * as. `foreign`: another user's, which may call as a program but not as the owner. `refused`: may not call at all.
 */
export type PeerView =
  | { readonly kind: 'own' }
  | { readonly kind: 'foreign'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'agent'; readonly startId: string; readonly auth: () => AuthContext }

/** The daemon's knowledge of the processes that call it. */
export interface Peers {
  /** Looked up once for each connection. */
  of(socket: Socket): Promise<PeerView>
  /** The agent that a tag names; `refused` if it has ended or is remote; `own` for the tag of another Iris. */
  tagged(tag: string): PeerView
}
