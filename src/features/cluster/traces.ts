/** The traces to which turns belong; nothing where Iris sends none. */
export interface Traces {
  /** The span of this turn, as the parent of what it causes elsewhere. */
  of(turn: string): string | undefined
  /** The turn came with this traceparent. */
  note(turn: string, traceparent: string): void
}
