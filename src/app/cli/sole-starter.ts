import { closeSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { isAlive } from '../../base/lib/process-alive.ts'

/**
 * A start takes less time than this; if the place is taken for longer, its process id now belongs to a different
 * process.
 */
const maxStartMs = 30_000

/**
 * Lets one of the commands that find no daemon start it: otherwise each would load all of it, and only one would run.
 * Returns a function that releases the place; undefined: another command starts the daemon. `now`: milliseconds since
 * the epoch. Where nothing can be written, each command starts one, and the daemon reports what is wrong with its home.
 */
export function soleStarter(path: string, now: number): (() => void) | undefined {
  if (!take(path)) {
    if (isHeld(path, now)) return undefined
    // Two commands that do this at once both start a daemon, and its lock leaves one.
    if (removed(path) && !take(path)) return undefined
  }
  return () => release(path)
}

/** Takes the place. False: another command has it. True also where nothing can be written. */
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
    // On a full disk an empty file is made: the next command would wait for a start that nobody makes.
    removed(path)
  } finally {
    closeSync(file)
  }
  return true
}

/** Removes the file. False: it could not be removed. */
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
    // Empty for a moment, after it was made.
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
