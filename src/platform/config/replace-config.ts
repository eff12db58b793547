import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { plainFile } from '../../base/lib/plain-file.ts'
import { textBeforeOf } from './home.ts'
import { replaceText } from './replace-text.ts'

/**
 * Replaces config.yaml as `replaceText` does, and keeps the text before beside `file`, for `iris config undo`. `target` is
 * `file`, or the file that it is a link to.
 */
export async function replaceConfig(
  file: string,
  target: string,
  before: string | null,
  after: string,
): Promise<boolean> {
  if (before === null || before === after) return replaceText(target, before, after)
  const copy = `${file}.${randomUUID()}`
  try {
    // It becomes the copy only once the text has been replaced.
    await writeFile(copy, before, { mode: 0o600, flag: 'wx', flush: true })
    if (!(await replaceText(target, before, after))) return false
    await rename(copy, textBeforeOf(file))
    return true
  } finally {
    await rm(copy, { force: true })
  }
}

/** The text before the last change that Iris made; undefined: it made none. */
export function textBefore(file: string): string | undefined {
  try {
    return plainFile(textBeforeOf(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
