import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The device and inode of a home's lock file. They distinguish the home from a copy of it, which contains the same
 * files. A home that is moved within a file system keeps its mark. Undefined while there is no lock file.
 */
export function homeMark(lock: string): string | undefined {
  return markOf(lock)
}

/**
 * The same for the lock's directory: a copy made of hard links has the same files as the original, in different
 * directories.
 */
export function directoryMark(lock: string): string | undefined {
  return markOf(dirname(lock))
}

/** The marks as recorded. A mark is absent if an older Iris wrote the record, or if there was no lock. */
export interface Marks {
  readonly mark?: string | undefined
  readonly directory?: string | undefined
}

/** Whether these marks belong to the home with this lock. */
export function isMarked(lock: string, { mark, directory }: Marks): boolean {
  return mark !== undefined && mark === homeMark(lock) && (directory ?? directoryMark(lock)) === directoryMark(lock)
}

/** Whether a file has further hard links, as in a copy made of hard links: both homes would write to the same file. */
export function hasOtherNames(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  // Directories do not count, because they have a link for each directory in them.
  return found?.isFile() === true && found.nlink > 1
}

function markOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
