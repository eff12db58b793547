import type { Socket } from 'node:net'
import type { AuthContext } from '../../kernel/call/call.ts'

/**
 * Whose process is at the other end of a connection. `own`: a process of the person. `agent`: a process of an agent;
 * `auth` returns the caller that it counts as. `foreign`: a process of another user, which may call as a program but
 * not as the owner. `refused`: a process that may not call at all.
 */
export type PeerView =
  | { readonly kind: 'own' }
  | { readonly kind: 'foreign'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'agent'; readonly startId: string; readonly auth: () => AuthContext }

/** What the daemon knows about the processes that call it. */
export interface Peers {
  /** Looked up once for each connection. */
  of(socket: Socket): Promise<PeerView>
  /**
   * The agent that a process tag names. `refused` if that agent has ended or is remote, `own` for the tag of another
   * Iris.
   */
  tagged(tag: string): PeerView
}
