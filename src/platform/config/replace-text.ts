import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, statSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'

/** What a file of Iris's own is, if nothing is there yet. */
const privateMode = 0o600

/**
 * Puts `after` in the place of a file that says `before` (null: that is not there), whole or not at all, with the rights
 * it had. False when it says something else by now. `target` is no link: that would be replaced.
 */
export async function replaceText(target: string, before: string | null, after: string): Promise<boolean> {
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? privateMode
  const temporary = `${target}.${randomUUID()}`
  try {
    await writeFile(temporary, after, { mode: privateMode, flag: 'wx', flush: true })
    // Whatever the umask.
    await chmod(temporary, mode & 0o777)
    // In one go, so that of two that are written at once the second one sees the first.
    if (textOf(target) !== before) return false
    renameSync(temporary, target)
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}

function textOf(target: string): string | null {
  return statSync(target, { throwIfNoEntry: false }) === undefined ? null : readFileSync(target, 'utf8')
}
