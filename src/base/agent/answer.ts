/** What there is beside an answer's text, and what its asker should know of it. */
export interface AnswerNotes {
  /** A tool was used after the text. */
  readonly toolAfter: boolean
  /** Characters of the longest text that the agent said before, if it is longer than the answer; else 0. */
  readonly longerBefore: number
  /** What a Stop hook of the project said each time when it did not let the agent end. */
  readonly hookReasons: readonly string[]
  /** All that the agent said, also between its tools. */
  readonly everything: string
  /** Messages that joined the turn and that a hook stopped before the agent read them; undefined: none. */
  readonly joinsStopped?: number
}

/** The answer, and what should be known beside it; undefined: nothing. */
export interface Answer {
  /** The last segment that is not white space; after a Stop hook also what was whole before it. */
  readonly text: string
  readonly notes: AnswerNotes | undefined
}
