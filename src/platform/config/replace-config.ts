import { randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { realpath, rename, rm, writeFile } from 'node:fs/promises'
import { plainFile } from '../../base/lib/plain-file.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { textBeforeOf } from './home.ts'
import { replaceText } from './replace-text.ts'

/** The last line of the kept text says which text came after it. */
const lastLine = /(?:^|\n)# before the text with sha256 ([0-9a-f]{64})\n$/

/**
 * Replaces config.yaml as `replaceText` does, and keeps the previous text next to `file`, for `iris config undo`. A
 * link stays a link. False when the file has another text than `before`, or is gone.
 */
export async function replaceConfig(file: string, before: string | null, after: string): Promise<boolean> {
  const target = before === null ? file : await realPathOf(file)
  if (target === undefined) return false
  if (before === null || before === after) return replaceText(target, before, after)
  refuseDirectory(textBeforeOf(file))
  const copy = `${file}.${randomUUID()}`
  try {
    // It becomes the copy only once the text has been replaced.
    const kept = `${before}\n# before the text with sha256 ${sha256(after)}\n`
    await writeFile(copy, kept, { mode: 0o600, flag: 'wx', flush: true })
    if (!(await replaceText(target, before, after))) return false
    await rename(copy, textBeforeOf(file))
    return true
  } finally {
    await rm(copy, { force: true })
  }
}

/** Nothing can take its place, which would show only once the text has been replaced. Throws the system's error. */
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
  /** The hash of the text that Iris wrote then; undefined if an earlier Iris did. */
  readonly hashAfter: string | undefined
}

/** The text before the last change that Iris made; undefined: it made none. */
export function textBefore(file: string): TextBefore | undefined {
  try {
    refuseDirectory(textBeforeOf(file))
    const kept = plainFile(textBeforeOf(file))
    const hashAfter = lastLine.exec(kept)?.[1]
    // An empty file is nothing that Iris wrote, and would end every team.
    return kept.trim() === '' ? undefined : { text: kept.replace(lastLine, ''), hashAfter }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
