import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { maxOfFile, type NewAttachment } from '../../../base/protocol/attachment.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { CommandContext } from '../context.ts'

/** The files of `--attach`, read with the rights of the person who types the command. */
export async function attachedFiles(
  context: CommandContext,
  paths: readonly string[] | undefined,
): Promise<NewAttachment[] | undefined> {
  if (paths === undefined) return undefined
  const attached: NewAttachment[] = []
  for (const path of paths) {
    const content = await readWhole(context, path, maxOfFile, fileTooLarge)
    attached.push({ name: path === '-' ? 'stdin' : basename(path), data: content.toString('base64') })
  }
  return attached
}

/** All bytes of a file, or of stdin for `-`. Throws `invalid_input`. */
export async function readWhole(
  context: CommandContext,
  path: string,
  mostBytes: number,
  tooLarge: (path: string) => IrisError,
): Promise<Buffer> {
  try {
    if (path === '-') return await upTo(context.stdin, mostBytes, () => tooLarge('stdin'))
    await using file = await open(context.pathOf(path))
    if ((await file.stat()).size > mostBytes) throw tooLarge(path)
    return await upTo(file.createReadStream({ autoClose: false }), mostBytes, () => tooLarge(path))
  } catch (cause) {
    if (cause instanceof IrisError) throw cause
    const why = (cause as NodeJS.ErrnoException).code ?? String(cause)
    const what = why === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be read (${why}).`
    throw new IrisError('invalid_input', what, 'Name a file, or - for stdin.', { cause })
  }
}

/** The size of a pipe or a device is unknown and may be unlimited, so reading stops once the limit is exceeded. */
async function upTo(stream: AsyncIterable<Buffer>, mostBytes: number, tooLarge: () => IrisError): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function fileTooLarge(path: string): IrisError {
  const what = `${path} is larger than ${maxOfFile} bytes, the limit for an attached file.`
  return new IrisError('invalid_input', what, 'Attach a smaller file, or name its path in the message.')
}
