import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { plainFile } from '../../base/lib/plain-file.ts'

const Remembered = z.object({
  identity: z.number().int().positive(),
  sequence: z.number().int().nonnegative(),
  path: z.string().optional(),
})

/** Distinguishes one store from another, and an older state of a store from a newer one. */
export interface StoreFacts {
  /**
   * A random number in the header of the file (`application_id`). 0 means that the file has no identity, like every new
   * file.
   */
  readonly identity: number
  /** The sequence number of the last turn in the ledger; 0 if there is no turn. */
  readonly sequence: number
}

/**
 * A record, in a file outside the database, that a store existed. If it has no identity, the file with the record was
 * unreadable.
 */
export type RememberedStore = Pick<StoreFacts, 'sequence'> & {
  readonly identity: number | undefined
  /** The absolute path of the store; undefined in a record of an earlier Iris. */
  readonly path?: string | undefined
}

/** Undefined if the file does not exist, which means that there was no store. */
export function readRemembered(path: string): RememberedStore | undefined {
  let text: string
  try {
    text = plainFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return { identity: undefined, sequence: 0 }
  }
  try {
    return Remembered.parse(JSON.parse(text))
  } catch {
    return { identity: undefined, sequence: 0 }
  }
}

/** Writes the file atomically, even if the power fails. Throws the system's error. */
export function writeRemembered(file: string, { identity, sequence }: StoreFacts, path?: string): void {
  const half = `${file}.new`
  const descriptor = openSync(half, 'w', 0o600)
  try {
    writeFileSync(descriptor, `${JSON.stringify({ identity, sequence, path })}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(half, file)
}
