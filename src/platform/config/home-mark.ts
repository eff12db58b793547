import { statSync } from 'node:fs'

/**
 * Tells a home from a copy of it, which has every file that it had: device and inode of the file of its lock. A home that is
 * moved within a file system keeps the mark. Undefined while there is no such file.
 */
export function homeMark(lock: string): string | undefined {
  const found = statSync(lock, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
