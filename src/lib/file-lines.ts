import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { LineSplitter } from './line-splitter.ts'

const maxLineBytes = 64 * 1024 * 1024

/** The lines of a file from `start`, in bytes, until `end` or its end, read while they are asked for; a last one without LF too. */
export async function* fileLines(path: string, start: number, end = Number.MAX_SAFE_INTEGER): AsyncGenerator<string> {
  if (end <= start) return
  let lines: string[] = []
  const splitter = new LineSplitter({ maxLineBytes, onLine: (text) => lines.push(text), onOversize: () => {} })
  for await (const chunk of createReadStream(path, { start, end: end - 1 })) {
    splitter.push(chunk as Buffer)
    yield* lines
    lines = []
  }
  splitter.push(Buffer.from('\n'))
  yield* lines
}

const pieceBytes = 64 * 1024

/** Where the line begins in which this place is, bytes from the start. */
export async function lineStart(path: string, place: number): Promise<number> {
  await using file = await open(path)
  const piece = Buffer.alloc(pieceBytes)
  for (let end = place; end > 0; end -= pieceBytes) {
    const start = Math.max(0, end - pieceBytes)
    const { bytesRead } = await file.read(piece, 0, end - start, start)
    const found = piece.subarray(0, bytesRead).lastIndexOf(0x0a)
    if (found !== -1) return start + found + 1
  }
  return 0
}
