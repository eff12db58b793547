/** Facts about an answer besides its text, and what the asker should know about them. */
export interface AnswerNotes {
  /** A tool was used after the text. */
  readonly toolAfter: boolean
  /** Characters of the longest text that the agent said before, if it is longer than the answer; otherwise 0. */
  readonly longerBefore: number
  /** The reasons that a project's Stop hook gave, one for each time it kept the agent from ending. */
  readonly hookReasons: readonly string[]
  /** Everything the agent said, including the text between its tools. */
  readonly everything: string
  /** How many messages joined the turn but were stopped by a hook before the agent read them; undefined: none. */
  readonly joinsStopped?: number
}

/** The answer and a note for the asker; undefined: no note. */
export interface Answer {
  /** The last segment that is not white space; after a Stop hook, preceded by the text that was complete before it. */
  readonly text: string
  readonly notes: AnswerNotes | undefined
}
