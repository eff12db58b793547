export interface Frame {
  /** Where a reader resumes. Absent for frames without a place to resume, such as live text. */
  readonly id?: string
  readonly type: string
  /** Its journal row, if any. */
  readonly row?: number | undefined
  readonly json: string
}

/** The frames that are sent together; never empty. */
export type Batch = readonly Frame[]

/** Proxies and clients close silent connections, so a beat is sent after this time of silence. */
export const beatMs = 15_000

export const beat: Batch = [{ type: 'beat', json: '{}' }]

/** Calls `make` once for each batch, since many readers get the same one. */
export function madeOnce<Made>(make: (batch: Batch) => Made): (batch: Batch) => Made {
  const known = new WeakMap<Batch, Made>()
  return (batch) => {
    const made = known.get(batch) ?? make(batch)
    known.set(batch, made)
    return made
  }
}

/**
 * How far a reader has read: the number of the last event, and of the last flush of live text, if it has had one. `rows`:
 * it has all rows of the journal up to this one.
 */
export interface Place {
  readonly cursor: number
  readonly textFlush: number | undefined
  readonly rows: number
}
