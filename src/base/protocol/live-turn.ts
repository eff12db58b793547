/** A turn that is being answered, as the stream of events tells it. */
export interface LiveTurn {
  readonly turnId: string
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly sessionId: string
  /** What it has said so far. */
  readonly text: string
  /** What it is thinking right now; empty once it has thought it. */
  readonly thinking: string
}

/** What one of them says or thinks next. */
export interface LivePiece extends Omit<LiveTurn, 'text' | 'thinking'> {
  readonly type: 'turn-text' | 'turn-thinking'
  /** Where in the text, or the thought, it belongs; 0 also says that what was there before is void. */
  readonly at: number
  readonly text: string
}
