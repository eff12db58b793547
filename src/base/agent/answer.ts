/** Facts about an answer besides its text, and what the asker should know about them. */
export interface AnswerNotes {
  /** A tool was used after the text. */
  readonly toolAfter: boolean
  /** Characters of the longest text that the agent said before, if it is longer than the answer; else 0. */
  readonly longerBefore: number
  /** The reasons that a project's Stop hook gave each time it kept the agent from ending. */
  readonly hookReasons: readonly string[]
  /** All that the agent said, also between its tools. */
  readonly everything: string
  /** Messages that joined the turn and that a hook stopped before the agent read them; undefined: none. */
  readonly joinsStopped?: number
}

/** The answer and a note for the asker; undefined: no note. */
export interface Answer {
  /** The last segment that is not white space; after a Stop hook also what was whole before it. */
  readonly text: string
  readonly notes: AnswerNotes | undefined
}
