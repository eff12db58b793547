/** A turn that is being answered, as the stream of events tells it. */
export interface LiveTurn {
  readonly turnId: string
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly sessionId: string
  /** What it has said so far. */
  readonly text: string
}
