import type { Answer, AnswerNotes } from './answer.ts'

/** The facts about one delivery in a transcript. */
export type DeliveryRecord =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'unfinished'
      readonly partial: string
      readonly openTools: readonly string[]
      /** Ids of all tool uses in the transcript. The CLI flushes late, so more may have started. */
      readonly knownTools: readonly string[]
      /** Tool uses whose background task has not reported. */
      readonly unreported: readonly string[]
      /** The reply so far, if the API paused the reply; undefined if it was cut off for another reason. */
      readonly paused?: Answer
    }
  | { readonly kind: 'answered'; readonly answer: string; readonly notes?: AnswerNotes }
  /** Nothing is known about the delivery. `problem` says why, as a phrase to put after a colon. */
  | { readonly kind: 'unreadable'; readonly problem: string }

export interface Sought {
  readonly uuid: string
  /** Tool uses that, according to the ledger, may still be running in the background. */
  readonly openAgents?: readonly string[]
  /** A uuid that comes before the delivery: damage before that uuid does not matter. */
  readonly after?: string | null
}
