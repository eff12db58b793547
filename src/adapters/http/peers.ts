import type { Socket } from 'node:net'
import type { Caller } from '../operations/call.ts'

/**
 * Whose process is at the other end of a connection: the person's own; an agent's, with what it is called as; another
 * user's, `foreign`, which may be a program and never the owner; or one that may be nobody.
 */
export type PeerView =
  | { readonly kind: 'own' }
  | { readonly kind: 'foreign'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'agent'; readonly startId: string; readonly caller: () => Caller }

/** What the daemon knows of the processes that call it. */
export interface Peers {
  /** Looked up once for each connection. */
  of(socket: Socket): Promise<PeerView>
  /** The agent that a tag names; a tag of another Iris says nothing. */
  tagged(tag: string): PeerView
}
