import { randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { realpath, rename, rm, writeFile } from 'node:fs/promises'
import { plainFile } from '../../base/lib/plain-file.ts'
import { withPath } from '../../base/lib/replace-file.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { textBeforeOf } from './home.ts'
import { replaceText } from './replace-text.ts'

/** The last line of the kept text: a comment with the hash of the text that replaced it. */
const lastLine = /(?:^|\n)# before the text with sha256 ([0-9a-f]{64})\n$/

/**
 * Replaces config.yaml as `replaceText` does, and keeps the previous text next to `file` for `iris config undo`. A link
 * stays a link. Returns false if the file's text differs from `before`, or if the file no longer exists.
 */
export async function replaceConfig(file: string, before: string | null, after: string): Promise<boolean> {
  const target = before === null ? file : await realPathOf(file)
  if (target === undefined) return false
  if (before === null || before === after) return replaceText(target, before, after)
  refuseDirectory(textBeforeOf(file))
  const temporary = `${file}.${randomUUID()}`
  try {
    // This file gets its final name only after config.yaml has been replaced. Until then, the previously kept text
    // stays.
    const kept = `${before}\n# before the text with sha256 ${sha256(after)}\n`
    await writeFile(temporary, kept, { mode: 0o600, flag: 'wx', flush: true }).catch((error) => {
      throw withPath(error, file)
    })
    if (!(await replaceText(target, before, after))) return false
    await rename(temporary, textBeforeOf(file))
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}

/**
 * Throws EISDIR if a directory is in the place of the kept text. Otherwise, the rename would fail, but only after
 * config.yaml had been replaced.
 */
function refuseDirectory(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return
  throw Object.assign(new Error(`EISDIR: ${path} is a directory`), { code: 'EISDIR', path })
}

async function realPathOf(file: string): Promise<string | undefined> {
  try {
    return await realpath(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

interface TextBefore {
  readonly text: string
  /** The hash of the text that Iris then wrote; undefined if an earlier Iris wrote it. */
  readonly hashAfter: string | undefined
}

/** The text before the last change that Iris made; undefined if Iris has made no change. */
export function textBefore(file: string): TextBefore | undefined {
  try {
    refuseDirectory(textBeforeOf(file))
    const kept = plainFile(textBeforeOf(file))
    const hashAfter = lastLine.exec(kept)?.[1]
    // Iris never writes an empty file, and restoring one would remove every team.
    return kept.trim() === '' ? undefined : { text: kept.replace(lastLine, ''), hashAfter }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
