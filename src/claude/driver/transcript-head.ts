import { type Line, parseLine } from '../../base/agent/line.ts'
import type { ByteSource } from '../../base/lib/byte-source.ts'

/** Bytes that are read, in two tries: the first lines are short, but the first message may be very long. */
const headLengths = [64 * 1024, 16 * 1024 * 1024]

/** The directory in which the conversation began. Undefined if the head of the transcript does not say. */
export function startDirectoryOf(file: ByteSource): Promise<string | undefined> {
  return firstOf(file, ({ cwd }) => (typeof cwd === 'string' ? cwd : undefined))
}

/**
 * The uuid that the first message names as its parent, although the parent is not in the file. Such a file is the rest
 * of a transcript that was deleted under a running process. Undefined for a complete transcript.
 */
export async function missingParentOf(file: ByteSource): Promise<string | undefined> {
  // In a complete transcript, this parent is null, which ends the search too.
  const parent = await firstOf(file, ({ parentUuid }) => parentUuid)
  return typeof parent === 'string' ? parent : undefined
}

/** The first defined result of `pick` for a line of the head. */
async function firstOf<T>(file: ByteSource, pick: (line: Line) => T | undefined): Promise<T | undefined> {
  for (const length of headLengths) {
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
