import { closeSync, constants, futimesSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** A file that Iris puts into a hidden directory, because `rmdir` cannot remove a directory that is not empty. */
const keeper = '.kept-by-iris'

/**
 * Creates a directory if missing, so that it is hidden before a person's Claude Code writes to it. A recent file in the
 * directory keeps `rmdir` and the cleaners of /tmp from removing it; a new directory under its name would not be
 * hidden. Returns whether the directory exists and belongs to this user.
 */
export function keepDirectory(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch {
    // The directory already exists, or cannot be created.
  }
  if (!isOwnDirectory(path)) return false
  try {
    const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
    const file = openSync(join(path, keeper), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
    const now = new Date()
    futimesSync(file, now, now)
    closeSync(file)
  } catch {
    // An agent without isolation put something else there, or the disk is full.
  }
  return true
}

/**
 * Only a directory of this user must be hidden: agents run as this user and cannot reach another user's. After `su`,
 * XDG_RUNTIME_DIR belongs to another user. TMPDIR may not be a directory at all.
 */
function isOwnDirectory(path: string): boolean {
  try {
    const facts = lstatSync(path, { throwIfNoEntry: false })
    return facts?.isDirectory() === true && facts.uid === process.geteuid!()
  } catch {
    return false
  }
}
