/** A running turn, as the stream of events shows it. */
export interface LiveTurn {
  readonly turnId: string
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly sessionId: string
  /** The answer so far. */
  readonly text: string
  /** The thought in progress; empty once the thought is complete. */
  readonly thinking: string
}

/** The next piece of text or thought of a running turn. */
export interface LivePiece extends Omit<LiveTurn, 'text' | 'thinking'> {
  readonly type: 'turn-text' | 'turn-thinking'
  /** Offset of the piece in the text or thought. At 0 the piece replaces all earlier text. */
  readonly at: number
  readonly text: string
}
