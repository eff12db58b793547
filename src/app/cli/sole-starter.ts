import { closeSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { isAlive } from '../../base/lib/process-alive.ts'

/**
 * A start takes less time than this; if the place is held for longer, the process id in it now belongs to a different
 * process.
 */
const maxStartMs = 30_000

/**
 * When several commands find no daemon, lets only one of them start it. Otherwise each would load a whole daemon, and
 * only one of these could run. Returns a function that releases the starter's place; undefined if another command is
 * starting the daemon. `now` is in milliseconds since the epoch. If the home is not writable, every command starts a
 * daemon, which reports what is wrong.
 */
export function soleStarter(path: string, now: number): (() => void) | undefined {
  if (!take(path)) {
    if (isHeld(path, now)) return undefined
    // If two commands do this at once, both start a daemon, and the daemon's lock lets only one run.
    if (removed(path) && !take(path)) return undefined
  }
  return () => release(path)
}

/** Takes the place. Returns false if another command has it, otherwise true, even if nothing can be written. */
function take(path: string): boolean {
  try {
    makeDirectory(dirname(path))
  } catch {
    return true
  }
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST'
  }
  try {
    writeFileSync(file, String(process.pid))
  } catch {
    // On a full disk the file stays empty, and the next command would wait for a start that never happens.
    removed(path)
  } finally {
    closeSync(file)
  }
  return true
}

/** Removes the file. Returns false if it could not be removed. */
function removed(path: string): boolean {
  try {
    rmSync(path, { force: true })
    return true
  } catch {
    return false
  }
}

function isHeld(path: string, now: number): boolean {
  try {
    const holder = plainFile(path)
    if (now - statSync(path).mtimeMs > maxStartMs) return false
    // The file is empty for a moment after it was made.
    return holder === '' || isAlive(Number(holder))
  } catch {
    return false
  }
}

function release(path: string): void {
  try {
    if (plainFile(path) === String(process.pid)) rmSync(path)
  } catch {
    // Another command took it over, or nothing can be written.
  }
}
