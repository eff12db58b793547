import type { PairIds } from '../../../base/protocol/event.ts'
import type { Pair } from '../../../base/protocol/pair.ts'

/** The events of this feature, by their types. */
export interface InsightEvents {
  /** The turn is about to change a file that another running turn has read or changed. Iris warns both agents. */
  readonly 'files-collided': PairIds & {
    /** The path relative to the project. */
    readonly path: string
    readonly turnId: string
    readonly otherTurnId: string
  }
  /** Files that earlier answers of the team relied on have changed, or have been changed back. */
  readonly 'answers-drifted': { readonly team: string; readonly turns: number }
  /** A file behind this answer has changed, and the asker had asked to be notified at once. */
  readonly 'answer-outdated': PairIds & { readonly turnId: string; readonly path: string }
  /** An earlier answer was reused because nothing it relies on has changed. */
  readonly 'answer-kept': PairIds & { readonly turnId: string; readonly answeredAt: number }
  /** A process was started ahead: when `asker` asks `from`, `from` usually asks `to` next. */
  readonly 'warmed-ahead': Omit<PairIds, 'sessionId'> & { readonly asker: string }
  /**
   * Load balancing kept this idle process although another one was used more recently, because it expects this one's
   * next message sooner.
   */
  readonly 'process-kept': PairIds & { readonly instead: Pair }
  /**
   * This turn gets a process before another turn that has waited longer, because this turn is usually answered sooner.
   */
  readonly 'turn-overtook': PairIds & { readonly turnId: string; readonly overtaken: string }
  /** Iris found a fault and is acting on it; see `faults.ts`. `subject`: a conversation, a team or a file. */
  readonly 'fault-found': { readonly fault: string; readonly subject: string; readonly action: string }
  /** The healing of the fault is confirmed, with the time since the fault was found. */
  readonly 'fault-healed': { readonly fault: string; readonly subject: string; readonly tookMs: number }
  /** The weekly reflection is done, with the numbers of messages read and of open suggestions. */
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
