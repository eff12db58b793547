/** The traces to which turns belong. Empty if Iris sends no traces. */
export interface Traces {
  /** The turn's span, as the parent of what the turn causes on other hosts. */
  of(turn: string): string | undefined
  /** Records the traceparent with which the turn arrived. */
  note(turn: string, traceparent: string): void
}
