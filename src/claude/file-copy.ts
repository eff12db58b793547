import { type FileHandle, open } from 'node:fs/promises'

const comparedBytes = 4096
const pieceBytes = 256 * 1024

/** Whether the longer file goes on where the shorter one ends, as far as the end of that one shows. */
export async function isContinuedBy(shorter: string, longer: string): Promise<boolean> {
  await using short = await open(shorter)
  await using long = await open(longer)
  const { size } = await short.stat()
  const from = Math.max(0, size - comparedBytes)
  const [a, b] = await Promise.all([readAt(short, from, size - from), readAt(long, from, size - from)])
  return a.equals(b)
}

/** Appends what `from` has behind its first `have` bytes. */
export async function appendRest(from: string, to: string, have: number): Promise<void> {
  await using source = await open(from)
  await using target = await open(to, 'a')
  const piece = Buffer.alloc(pieceBytes)
  for (let position = have; ; ) {
    const { bytesRead } = await source.read(piece, 0, pieceBytes, position)
    if (bytesRead === 0) return
    await target.appendFile(piece.subarray(0, bytesRead))
    position += bytesRead
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
