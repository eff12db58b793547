import type { ByteSource } from './byte-source.ts'
import { LineSplitter } from './line-splitter.ts'

const maxLineBytes = 64 * 1024 * 1024
const readBytes = 256 * 1024

/**
 * The lines of a file from byte `start` to byte `end` or the end of the file, read as the caller asks for them. A last
 * line without LF counts; lines over 64 MiB are left out.
 */
export async function* fileLines(
  file: Pick<ByteSource, 'read'>,
  start = 0,
  end = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<string> {
  let lines: string[] = []
  const splitter = new LineSplitter({ maxLineBytes, onLine: (text) => lines.push(text), onOversize: () => {} })
  for (let position = start; position < end; ) {
    const chunk = await file.read(position, Math.min(readBytes, end - position))
    if (chunk.length === 0) break
    position += chunk.length
    splitter.push(chunk)
    yield* lines
    lines = []
  }
  splitter.push(Buffer.from('\n'))
  yield* lines
}

const pieceBytes = 64 * 1024

/** The byte offset at which the line containing byte `place` begins. */
export async function lineStart(file: Pick<ByteSource, 'read'>, place: number): Promise<number> {
  for (let end = place; end > 0; end -= pieceBytes) {
    const start = Math.max(0, end - pieceBytes)
    const found = (await file.read(start, end - start)).lastIndexOf(0x0a)
    if (found !== -1) return start + found + 1
  }
  return 0
}
