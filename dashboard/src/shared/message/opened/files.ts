import type { Attachment } from '../../../../../src/base/protocol/attachment.ts'
import { texts } from './texts.ts'

/** A file that a person chose and has not sent. */
export interface ChosenFile {
  readonly id: string
  readonly name: string
  readonly bytes: number
  /** Base64. */
  readonly data: string
  /** The address of its preview; undefined for a file that is not a picture. */
  readonly preview: string | undefined
}

/** The same limits as in the contract: `mostOfFile`, `mostOfMessage`, `mostFiles`. */
const mostOfFile = 10 * 1024 * 1024
const mostOfMessage = 20 * 1024 * 1024
const mostFiles = 20

const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export interface Chosen {
  readonly files: readonly ChosenFile[]
  /** Why some files could not be added, one sentence each. */
  readonly problems: readonly string[]
}

/** The chosen files together with `more`, and why some of the new ones cannot be sent. */
export async function withFiles(chosen: readonly ChosenFile[], more: readonly File[]): Promise<Chosen> {
  const files = [...chosen]
  const problems: string[] = []
  for (const file of more) {
    const sum = files.reduce((bytes, each) => bytes + each.bytes, file.size)
    const problem =
      file.size > mostOfFile
        ? texts.fileTooLarge(file.name)
        : sum > mostOfMessage
          ? texts.filesTooLarge(file.name)
          : files.length === mostFiles
            ? texts.tooManyFiles(file.name, mostFiles)
            : undefined
    const url = problem === undefined ? await addressOf(file) : undefined
    if (url === undefined) {
      problems.push(problem ?? texts.cannotBeRead(file.name))
      continue
    }
    const preview = pictures.has(file.type) ? url : undefined
    const data = url.slice(url.indexOf(',') + 1)
    files.push({ id: crypto.randomUUID(), name: file.name || 'attachment', bytes: file.size, data, preview })
  }
  return { files, problems }
}

/** A `data:` address; undefined for a directory, and for a file that no longer exists. */
function addressOf(file: File): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : undefined)
    reader.onerror = () => resolve(undefined)
    reader.readAsDataURL(file)
  })
}

export function isPicture({ mediaType }: Pick<Attachment, 'mediaType'>): boolean {
  return pictures.has(mediaType)
}
