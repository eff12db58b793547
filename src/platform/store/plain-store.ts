import { statSync } from 'node:fs'
import { IrisError } from '../../base/protocol/error.ts'

/**
 * SQLite waits for ever for the writer of a named pipe, and calls a directory a failing disk. Throws `store_unavailable` when
 * what is at the path, also behind a link, is no plain file.
 */
export function refuseOtherThanFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() ?? true) return
  throw new IrisError(
    'store_unavailable',
    `${path} is no plain file, so that it can be no database.`,
    'Look at what it is with "ls -ld", and move it away.',
  )
}
