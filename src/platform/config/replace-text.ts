import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, statSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'

/** The mode of a new file. */
const privateMode = 0o600

/**
 * Replaces the text of a file as a whole or not at all, and keeps its mode. `before` is the text that the file must
 * have (null: no file); false when it has another one. `target` must not be a link, which would be replaced.
 */
export async function replaceText(target: string, before: string | null, after: string): Promise<boolean> {
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? privateMode
  const temporary = `${target}.${randomUUID()}`
  try {
    await writeFile(temporary, after, { mode: privateMode, flag: 'wx', flush: true })
    // The umask may have narrowed the mode.
    await chmod(temporary, mode & 0o777)
    // Nothing is awaited between check and rename, so of two writers in this process the second one sees the first.
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
