import type { Line } from './line.ts'
import type { ClaudeResult } from './run-result.ts'

/** Why the CLI began a turn on its own. */
export interface UnsolicitedCause {
  /** The tool use whose background task ended, or that the CLI had deferred; undefined if it does not say. */
  readonly toolUseId: string | undefined
}

/** A turn that the CLI began on its own, or its part before a message joined it. It does not answer a message. */
export interface UnsolicitedTurn extends UnsolicitedCause {
  readonly lines: readonly Line[]
  /** Undefined if the turn was cut off, or if a message joined it: the result is then the message's. */
  readonly result: Line | undefined
  /** Present if its process ended during the turn, or before the turn began. */
  readonly isCut?: true
  /** The text that the model was writing when its process ended. */
  readonly unfinished?: string
}

/** The turn with its parsed result and the usage of this turn alone. */
export interface EndedUnsolicitedTurn extends Omit<UnsolicitedTurn, 'result'> {
  readonly result: ClaudeResult | undefined
}
