import type { PairIds } from '../../../base/protocol/event.ts'
import type { Pair } from '../../../base/protocol/pair.ts'

/** The events of this feature, by their types. */
export interface InsightEvents {
  /** The turn is about to change a file that another turn at work has read or changed. Both agents learn it. */
  readonly 'files-collided': PairIds & {
    /** Below the project. */
    readonly path: string
    readonly turnId: string
    readonly otherTurnId: string
  }
  /** Files that earlier answers of the team relied on have changed, or are again as they were. */
  readonly 'answers-drifted': { readonly team: string; readonly turns: number }
  /** A file has changed that this answer relied on, and its asker wanted to hear of it at once. */
  readonly 'answer-outdated': PairIds & { readonly turnId: string; readonly path: string }
  /** An earlier answer was given again: nothing on which it relies has changed. */
  readonly 'answer-kept': PairIds & { readonly turnId: string; readonly answeredAt: number }
  /** When `asker` asks `from`, `from` usually asks `to` next: the process for that was started. */
  readonly 'warmed-ahead': Omit<PairIds, 'sessionId'> & { readonly asker: string }
  /** Of two idle processes this one stays, though it was used longer ago: its next message is expected sooner. */
  readonly 'process-kept': PairIds & { readonly instead: Pair }
  /** Both wait for a process, and this turn is usually answered sooner. */
  readonly 'turn-overtook': PairIds & { readonly turnId: string; readonly overtaken: string }
  /** Iris found a fault and acts on it; see `faults.ts`. `subject`: a conversation, a team, a file. */
  readonly 'fault-found': { readonly fault: string; readonly subject: string; readonly action: string }
  /** The fault is proved to be healed, so long after it was found. */
  readonly 'fault-healed': { readonly fault: string; readonly subject: string; readonly tookMs: number }
  /** The weekly reflection: messages read, and suggestions that are open. */
  readonly reflected: { readonly asks: number; readonly suggestions: number }
  /** A person applied or refused a suggestion of `iris insight reflect`. */
  readonly 'suggestion-decided': {
    readonly suggestionId: string
    readonly team: string
    readonly kind: 'claude-md' | 'rule'
    readonly decision: 'applied' | 'refused'
  }
}

declare module '../../../base/protocol/event.ts' {
  interface EventTypes extends InsightEvents {}
}
