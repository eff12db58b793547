import type { ByteSource } from '../../base/lib/byte-source.ts'
import { type Line, parseLine } from './line.ts'

/** The first lines are short; the first message may be as long as messages get. */
const windows = [64 * 1024, 16 * 1024 * 1024]

/** The directory in which the conversation began, as its transcript says. Undefined when its head does not say. */
export function projectOf(file: ByteSource): Promise<string | undefined> {
  return firstOf(file, ({ cwd }) => (typeof cwd === 'string' ? cwd : undefined))
}

/**
 * The message that the first one follows upon. Undefined when that is the first of all: a parent says that the file is
 * the rest of one that was deleted under a living process.
 */
export async function missingParentOf(file: ByteSource): Promise<string | undefined> {
  const parent = await firstOf(file, ({ parentUuid }) => parentUuid)
  return typeof parent === 'string' ? parent : undefined
}

/** What the first line gives that gives anything. */
async function firstOf<T>(file: ByteSource, pick: (line: Line) => T | undefined): Promise<T | undefined> {
  for (const length of windows) {
    const head = await file.read(0, length)
    // The last piece may be half a line, or half a character; then it is no line at all.
    for (const text of head.toString('utf8').split('\n')) {
      const line = parseLine(text)
      const picked = line && pick(line)
      if (picked !== undefined) return picked
    }
    if (head.length < length) return undefined
  }
  return undefined
}
