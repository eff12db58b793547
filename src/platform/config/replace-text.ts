import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { withPath } from '../../base/lib/replace-file.ts'

/** The mode of a new file. */
const privateMode = 0o600

/**
 * Replaces the text of a file completely or not at all, and keeps its mode. `before` is the text that the file must
 * have (null: no file); returns false if it differs. `target` must not be a link, which would be replaced.
 */
export async function replaceText(target: string, before: string | null, after: string): Promise<boolean> {
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? privateMode
  const temporary = `${target}.${randomUUID()}`
  try {
    await writeFile(temporary, after, { mode: privateMode, flag: 'wx', flush: true }).catch((error) => {
      throw withPath(error, target)
    })
    // The umask may have narrowed the mode.
    await chmod(temporary, mode & 0o777)
    // Nothing is awaited between check and rename, so of two writers in this process, the second sees the first one's
    // text.
    return await locked(target, () => {
      if (textOf(target) !== before) return false
      renameSync(temporary, target)
      return true
    })
  } finally {
    await rm(temporary, { force: true })
  }
}

/** A lock is held for less than a millisecond: an older one belongs to a writer that was killed. */
const oldMs = 5000
const pauseMs = 2

/** Runs an action while no other process runs one for this file. */
async function locked<T>(target: string, action: () => T): Promise<T> {
  const lock = `${target}.iris-lock`
  while (!isMade(lock)) {
    const stat = lstatSync(lock, { throwIfNoEntry: false })
    if (stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) > oldMs)
      rmSync(lock, { recursive: true, force: true })
    else await setTimeout(pauseMs)
  }
  try {
    return action()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function isMade(directory: string): boolean {
  try {
    mkdirSync(directory)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function textOf(target: string): string | null {
  return statSync(target, { throwIfNoEntry: false }) === undefined ? null : readFileSync(target, 'utf8')
}
