/** Facts about an answer besides its text, and what the asker should know about them. */
export interface AnswerNotes {
  /** Whether a tool was used after the text. */
  readonly toolAfter: boolean
  /**
   * Length in characters of the longest text that the agent said before the answer, if longer than the answer;
   * otherwise 0.
   */
  readonly longerBefore: number
  /** The reasons that a project's Stop hook gave, one for each time it kept the agent from ending. */
  readonly hookReasons: readonly string[]
  /** Everything the agent said, including the text between its tools. */
  readonly everything: string
  /**
   * How many messages joined the turn but were stopped by a hook before the agent read them; undefined if there were
   * none.
   */
  readonly joinsStopped?: number
}

/** An answer, and facts about it that the asker should know; undefined if there are none. */
export interface Answer {
  /**
   * The last segment that is not white space. If a Stop hook blocked, the text that was complete by that time comes
   * first.
   */
  readonly text: string
  readonly notes: AnswerNotes | undefined
}
