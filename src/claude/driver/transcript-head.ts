import { type Line, parseLine } from '../../base/agent/line.ts'
import type { ByteSource } from '../../base/lib/byte-source.ts'

/** The first lines are short, but the first message may be very long. */
const windows = [64 * 1024, 16 * 1024 * 1024]

/** The directory in which the conversation began. Undefined if the head of the transcript does not say. */
export function projectOf(file: ByteSource): Promise<string | undefined> {
  return firstOf(file, ({ cwd }) => (typeof cwd === 'string' ? cwd : undefined))
}

/**
 * The parent of the first message. Undefined if it has none, as in a complete transcript. A parent means that the file
 * is the rest of one that was deleted under a running process.
 */
export async function missingParentOf(file: ByteSource): Promise<string | undefined> {
  const parent = await firstOf(file, ({ parentUuid }) => parentUuid)
  return typeof parent === 'string' ? parent : undefined
}

/** The first defined result of `pick` for a line of the head. */
async function firstOf<T>(file: ByteSource, pick: (line: Line) => T | undefined): Promise<T | undefined> {
  for (const length of windows) {
    const head = await file.read(0, length)
    // The last piece may be an incomplete line or end within a character; then `parseLine` rejects it.
    for (const text of head.toString('utf8').split('\n')) {
      const line = parseLine(text)
      const picked = line && pick(line)
      if (picked !== undefined) return picked
    }
    if (head.length < length) return undefined
  }
  return undefined
}
