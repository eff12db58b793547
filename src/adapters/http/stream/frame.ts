export interface Frame {
  /** Absent where there is nothing to resume after: live text is told anew. */
  readonly id?: string
  readonly type: string
  readonly json: string
}

/** What goes out in one batch; never empty. */
export type Batch = readonly Frame[]

/** Proxies and clients give up what is silent: after so long it is said that the stream is still there. */
export const beatMs = 15_000

export const beat: Batch = [{ type: 'beat', json: '{}' }]

/** The same batch goes out to many: what is made of it is made once. */
export function madeOnce<Made>(make: (batch: Batch) => Made): (batch: Batch) => Made {
  const known = new WeakMap<Batch, Made>()
  return (batch) => {
    const made = known.get(batch) ?? make(batch)
    known.set(batch, made)
    return made
  }
}
