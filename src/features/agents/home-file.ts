import { constants } from 'node:fs'
import { type FileHandle, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { FoundText, ReadOptions } from '../../platform/machine/machine.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'
import { OpenDirectory } from '../../platform/machine/open-directory.ts'

/**
 * Reads a text file of Iris's home. The first link in the home is the owner's own, and may lead anywhere. Other users
 * may be able to write in the place to which it leads, so no further link is followed: such a link could lead back to
 * files that are hidden from those users. Never throws.
 */
export async function readHomeFile(home: string, names: readonly string[], options: ReadOptions): Promise<FoundText> {
  try {
    const path = await ownersChoice(await realpath(home), names)
    await using directory = await OpenDirectory.withoutLinks(dirname(path))
    await using file = await directory.file(basename(path), constants.O_RDONLY)
    return await readOpened(file, options)
  } catch (error) {
    if (error instanceof MachineError) return unusable(error.message)
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'absent' } : unusable(`it cannot be read (${code})`)
  }
}

/** The path with the first link in the home resolved. */
async function ownersChoice(home: string, names: readonly string[]): Promise<string> {
  let path = home
  for (const [index, name] of names.entries()) {
    const target = await readlink(join(path, name)).catch(() => undefined)
    if (target !== undefined) return resolve(path, target, ...names.slice(index + 1))
    path = join(path, name)
  }
  return path
}

async function readOpened(file: FileHandle, { mostBytes, cut = false }: ReadOptions): Promise<FoundText> {
  const bytes = await buffer(file.createReadStream({ end: mostBytes, autoClose: false }))
  const isCut = bytes.length > mostBytes
  if (isCut && !cut) return unusable(`it is larger than ${mostBytes} bytes`)
  try {
    // Decodes as a stream, so that a character that is cut at the end is left out and does not count as a mistake.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, mostBytes), { stream: isCut })
    return { kind: 'text', text, isCut }
  } catch {
    return unusable('it is not text in UTF-8')
  }
}

function unusable(problem: string): FoundText {
  return { kind: 'unusable', problem }
}
