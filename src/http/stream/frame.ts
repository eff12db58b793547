export interface Frame {
  /** Absent where there is nothing to resume after: live text is told anew. */
  readonly id?: string
  readonly type: string
  readonly json: string
}

/** What goes out in one piece; never empty. */
export type Batch = readonly Frame[]

/** Proxies and clients give up what is silent: after so long it is said that the stream is still there. */
export const beatMs = 15_000

export const beat: Batch = [{ type: 'beat', json: '{}' }]
