import { statSync } from 'node:fs'
import { IrisError } from '../../base/protocol/error.ts'

/** What SQLite opens beside a database. */
const companions = ['', '-wal', '-shm', '-journal']

/**
 * SQLite waits for ever for the writer of a named pipe, and calls a directory a failing disk. Throws `store_unavailable` when
 * what is at the path, or beside it for SQLite, is no plain file, also behind a link. Throws the system's error for a link that
 * leads to itself.
 */
export function refuseOtherThanFile(path: string): void {
  const found = companions.map((end) => `${path}${end}`)
  const other = found.find((one) => statSync(one, { throwIfNoEntry: false })?.isFile() === false)
  if (other === undefined) return
  throw new IrisError(
    'store_unavailable',
    `${other} is no plain file, so that it can be no database.`,
    'Look at what it is with "ls -ld", and move it away.',
  )
}
