import type { Pair } from '../../base/protocol/pair.ts'

/** What is usual for a conversation: the feature insight measures it. */
export interface UsualTimes {
  /**
   * How long a place is held for each message that comes in it, milliseconds. `now`: since the epoch; `unusedMs`: how long its process has
   * been unused, for a conversation without a message.
   */
  msPerMessage(pair: Pair, now: number, unusedMs: number): number
  /** How long its answers take, milliseconds. */
  answerMs(pair: Pair): number
}
