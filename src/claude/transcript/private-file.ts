import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { pieceEnd } from '../../base/lib/utf8.ts'

const fileMode = 0o600
const directoryMode = 0o700
const readWriteCreate = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW

export type OpenFile = (path: string) => Promise<FileHandle>

/**
 * Opens a file for reading and writing. Creates the file with mode 0600 and missing directories with 0700. Rejects
 * links and anything but a regular file; also rejects with errors of the file system.
 */
export async function openPrivate(path: string): Promise<FileHandle> {
  const file = await open(path, readWriteCreate, fileMode).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    makeDirectory(dirname(path), directoryMode)
    return open(path, readWriteCreate, fileMode)
  })
  try {
    const facts = await file.stat()
    if (!facts.isFile()) throw new Error(`${path} is not a file`)
    if ((facts.mode & 0o777) !== fileMode) await file.chmod(fileMode)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The last `length` bytes of a file of `size` bytes, or all of it. */
export async function readEnd(file: FileHandle, size: number, length: number): Promise<Buffer> {
  const wanted = Math.min(size, length)
  const bytes = Buffer.alloc(wanted)
  let read = 0
  while (read < wanted) {
    const { bytesRead } = await file.read(bytes, read, wanted - read, size - wanted + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.subarray(0, read)
}

/** Characters that are encoded at once; in a longer text, other work can run between two pieces. */
const pieceLength = 1024 * 1024

/** Uses one write, or more if the text is long or the system does not take all bytes at once. */
export async function writeAt(file: FileHandle, text: string, position: number): Promise<void> {
  let place = position
  for (let from = 0; from < text.length; ) {
    const end = pieceEnd(text, from, pieceLength)
    const bytes = Buffer.from(text.slice(from, end))
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, written, bytes.length - written, place)
      written += bytesWritten
      place += bytesWritten
    }
    from = end
  }
}
