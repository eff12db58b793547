import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** A file that is read by byte ranges. */
export interface ByteSource {
  /** Size in bytes when the file was opened; it may have grown since. */
  readonly size: number
  /** Reads `length` bytes from byte `from`; fewer at the end of the file. */
  read(from: number, length: number): Promise<Buffer>
}

/** Opens a file that Iris owns. Rejects if it is missing or not a regular file. */
export async function ownFile(path: string): Promise<ByteSource> {
  await using file = await openOwnFile(path)
  const { size } = await file.stat()
  return { size, read: (from, length) => readRange(path, from, length) }
}

const plainFile = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Rejects anything but a regular file. An agent without isolation may have replaced the file with a link or a named
 * pipe, and opening a pipe would wait for a writer.
 */
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
