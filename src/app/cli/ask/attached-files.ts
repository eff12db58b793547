import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { mostOfFile, type NewAttachment } from '../../../base/protocol/attachment.ts'
import { IrisError } from '../../../base/protocol/error.ts'

/** The files of `--attach`, read with the rights of who types the command. */
export async function attachedFiles(paths: readonly string[] | undefined): Promise<NewAttachment[] | undefined> {
  if (paths === undefined) return undefined
  const attached: NewAttachment[] = []
  for (const path of paths) {
    const content = await readWhole(path, mostOfFile)
    attached.push({ name: path === '-' ? 'stdin' : basename(path), data: content.toString('base64') })
  }
  return attached
}

/** All bytes of a file, or of stdin for `-`. Throws `invalid_input`. */
export async function readWhole(path: string, mostBytes?: number): Promise<Buffer> {
  const bytes = await (path === '-' ? buffer(process.stdin) : contentOf(path, mostBytes)).catch((cause: unknown) => {
    if (cause instanceof IrisError) throw cause
    const why = (cause as NodeJS.ErrnoException).code ?? String(cause)
    const what = why === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be read (${why}).`
    throw new IrisError('invalid_input', what, 'Name a file, or - for stdin.', { cause })
  })
  if (mostBytes !== undefined && bytes.length > mostBytes) throw tooLarge(path, mostBytes)
  return bytes
}

/** A pipe, such as that of a shell's `<(…)`, is read to its end. */
async function contentOf(path: string, mostBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  await using file = await open(path)
  if ((await file.stat()).size > mostBytes) throw tooLarge(path, mostBytes)
  return file.readFile()
}

function tooLarge(path: string, mostBytes: number): IrisError {
  const what = `${path} is larger than ${mostBytes} bytes, the most of one attached file.`
  return new IrisError('invalid_input', what, 'Attach a smaller file, or name its path in the message.')
}
