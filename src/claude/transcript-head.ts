import { open } from 'node:fs/promises'
import { parseLine } from './line.ts'

/** The first lines are short; the first message may be as long as messages get. */
const windows = [64 * 1024, 16 * 1024 * 1024]

/** The directory in which the conversation began, as its transcript says. Undefined when its head does not say. */
export async function projectOf(path: string): Promise<string | undefined> {
  await using file = await open(path)
  for (const length of windows) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    // The last piece may be half a line, or half a character; then it is no line at all.
    for (const text of buffer.toString('utf8', 0, bytesRead).split('\n')) {
      const directory = parseLine(text)?.['cwd']
      if (typeof directory === 'string') return directory
    }
    if (bytesRead < length) return undefined
  }
  return undefined
}
