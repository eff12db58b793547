import { open } from 'node:fs/promises'

/** A file, read in ranges. */
export interface ByteSource {
  /** When it was found; it may have grown since. */
  readonly size: number
  /** So many bytes, or fewer where it ends. */
  read(from: number, length: number): Promise<Buffer>
}

/** A file in a place where nobody but Iris writes. Rejects when there is none. */
export async function ownFile(path: string): Promise<ByteSource> {
  await using file = await open(path)
  const { size } = await file.stat()
  return { size, read: (from, length) => readRange(path, from, length) }
}

async function readRange(path: string, from: number, length: number): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}
