import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** A file, read in ranges. */
export interface ByteSource {
  /** When it was found; it may have grown since. */
  readonly size: number
  /** So many bytes, or fewer where it ends. */
  read(from: number, length: number): Promise<Buffer>
}

/** A file of Iris's own. Rejects when there is none. */
export async function ownFile(path: string): Promise<ByteSource> {
  await using file = await openOwnFile(path)
  const { size } = await file.stat()
  return { size, read: (from, length) => readRange(path, from, length) }
}

const plainFile = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** An agent that is not isolated may have put a link or a named pipe in its place; opening the latter would wait for a writer. */
export async function openOwnFile(path: string): Promise<FileHandle> {
  const file = await open(path, plainFile)
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new Error(`${path} is not a file`)
}

async function readRange(path: string, from: number, length: number): Promise<Buffer> {
  await using file = await openOwnFile(path)
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}
