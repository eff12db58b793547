import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { isInside } from '../config/inside.ts'

export type FoundFile =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'absent' }
  /** `problem` reads on behind "is not used: ". */
  | { readonly kind: 'unusable'; readonly problem: string }

export interface ReadOptions {
  readonly mostBytes: number
  /** What is too long is cut, not refused. */
  readonly cut?: boolean
  /** A directory of the user's own may hold links to anywhere; a project, which others wrote, may not. */
  readonly linksMayLeave?: boolean
}

/** Reads a text file of `directory`, a real path. Never throws, waits for no pipe, reads no more than it may. */
export async function readTextFile(directory: string, name: string, options: ReadOptions): Promise<FoundFile> {
  try {
    const path = await realpath(join(directory, name))
    if (!options.linksMayLeave && !isInside(directory, path))
      return unusable('it is a link that leads out of the project')
    // Without O_NONBLOCK a named pipe would keep us waiting for its writer.
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    return await readOpened(handle, options)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'absent' } : unusable(`it cannot be read (${code})`)
  }
}

async function readOpened(handle: FileHandle, { mostBytes, cut = false }: ReadOptions): Promise<FoundFile> {
  if (!(await handle.stat()).isFile()) return unusable('it is not a file')
  const bytes = await buffer(handle.createReadStream({ end: mostBytes, autoClose: false }))
  const isCut = bytes.length > mostBytes
  if (isCut && !cut) return unusable(`it is larger than ${mostBytes} bytes`)
  try {
    // As a stream: a character cut in two at the end is left out, not taken for a mistake.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, mostBytes), { stream: isCut })
    return { kind: 'text', text, isCut }
  } catch {
    return unusable('it is not text in UTF-8')
  }
}

function unusable(problem: string): FoundFile {
  return { kind: 'unusable', problem }
}
