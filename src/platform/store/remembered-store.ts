import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { plainFile } from '../../base/lib/plain-file.ts'

const Remembered = z.object({ identity: z.number().int().positive(), sequence: z.number().int().nonnegative() })

/** Distinguishes one store from another, and an older state of a store from a newer one. */
export interface StoreFacts {
  /** A random number in the header of the file (`application_id`). 0: none, as in every new file. */
  readonly identity: number
  /** The sequence number of the last turn in the ledger; 0: there is no turn. */
  readonly sequence: number
}

/** A record, in a file outside of the database, that a store existed. Without an identity the file was unreadable. */
export type RememberedStore = Pick<StoreFacts, 'sequence'> & { readonly identity: number | undefined }

/** Undefined when the file does not exist: then there was no store. */
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

/** Writes the file atomically, also when the power fails. Throws the system's error. */
export function writeRemembered(path: string, { identity, sequence }: StoreFacts): void {
  const half = `${path}.new`
  const file = openSync(half, 'w', 0o600)
  try {
    writeFileSync(file, `${JSON.stringify({ identity, sequence })}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(half, path)
}
