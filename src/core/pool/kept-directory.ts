import { closeSync, constants, futimesSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** Of Iris's own, in a directory that it hides: nobody can remove a directory that is not empty. */
const keeper = '.kept-by-iris'

/**
 * Makes a directory if it is missing: hidden is what a person's Claude Code puts into it later. A file in it keeps `rmdir` and
 * cleaners of /tmp from removing it, because another one under its name would not be hidden. Cleaners leave young files alone. Returns whether there
 * is one now that belongs to this user.
 */
export function keepDirectory(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch {
    // It is there, or cannot be.
  }
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (!facts?.isDirectory() || facts.uid !== process.geteuid!()) return false
  try {
    const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
    const file = openSync(join(path, keeper), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
    const now = new Date()
    futimesSync(file, now, now)
    closeSync(file)
  } catch {
    // An agent that is not isolated has put something else there, or the disk is full.
  }
  return true
}
