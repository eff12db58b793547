export interface Frame {
  /** The place at which a reader resumes. Absent for frames after which no reader can resume, such as live text. */
  readonly id?: string
  readonly type: string
  /** The journal row of its event, if there is one. */
  readonly row?: number | undefined
  readonly json: string
}

/** Frames that are sent together. An empty batch is never sent. */
export type Batch = readonly Frame[]

/** A beat is sent after this time of silence, in milliseconds, because proxies and clients close silent connections. */
export const beatMs = 15_000

export const beat: Batch = [{ type: 'beat', json: '{}' }]

/** Calls `make` once for each batch, since many readers get the same batch. */
export function madeOnce<Made>(make: (batch: Batch) => Made): (batch: Batch) => Made {
  const known = new WeakMap<Batch, Made>()
  return (batch) => {
    const made = known.get(batch) ?? make(batch)
    known.set(batch, made)
    return made
  }
}

/**
 * How far a reader has read: the number of the last event, and of the last flush of live text, if it has had one.
 * `rows`: the journal row up to which it has all rows.
 */
export interface Place {
  readonly cursor: number
  readonly textFlush: number | undefined
  readonly rows: number
}
