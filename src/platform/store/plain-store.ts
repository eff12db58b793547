import { statSync } from 'node:fs'
import { IrisError } from '../../base/protocol/error.ts'

/**
 * How long reading the store's file waits for a lock, milliseconds. Short, so that a writer cannot delay the reading
 * for long.
 */
export const lockWaitMs = 250

/** The suffixes of the files that SQLite opens: the database and those beside it. */
const companions = ['', '-wal', '-shm', '-journal']

/**
 * SQLite waits forever for the writer of a named pipe, and reports a directory as a failing disk. Throws
 * `store_unavailable` if the path, or one of SQLite's files next to it, is not a regular file, even behind a link.
 * Throws the system's error for a link that leads to itself.
 */
export function refuseOtherThanFile(path: string): void {
  const found = companions.map((end) => `${path}${end}`)
  const other = found.find((one) => statSync(one, { throwIfNoEntry: false })?.isFile() === false)
  if (other === undefined) return
  throw new IrisError(
    'store_unavailable',
    `${other} is not a regular file, so it cannot be a database.`,
    'Look at it with "ls -ld", and move it away.',
  )
}
