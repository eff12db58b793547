import { constants } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ByteSource, ownFile } from '../../base/lib/byte-source.ts'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { pieceEnd } from '../../base/lib/utf8.ts'

/** Characters that are encoded and written at once; other work can run between two pieces. */
const pieceLength = 64 * 1024
const created = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Where the pieces of a text begin: offsets in UTF-16 code units, and in bytes of the file. */
interface Places {
  readonly length: number
  readonly pieces: readonly (readonly [unit: number, byte: number])[]
}

/** A text in a file. Offsets and lengths are in UTF-16 code units. */
export interface LongText {
  readonly length: number
  /** Reads little more of the file than this part. Rejects if the file is missing or not a regular file. */
  slice(from: number, to: number): Promise<string>
}

/**
 * Writes a text into its own file as UTF-8, and a second file that says where its pieces begin, so that a part can be
 * read alone. Resolves once both are on the disk. Rejects with errors of the file system.
 */
export async function writeLongText(path: string, text: string): Promise<void> {
  makeDirectory(dirname(path), 0o700)
  const pieces: (readonly [number, number])[] = []
  const bytes = await writeNew(path, async (write) => {
    let position = 0
    for (let unit = 0; unit < text.length; ) {
      const end = pieceEnd(text, unit, pieceLength)
      pieces.push([unit, position])
      position += await write(text.slice(unit, end))
      unit = end
    }
    return position
  })
  const places: Places = { length: text.length, pieces: [...pieces, [text.length, bytes]] }
  // The text is valid only together with its places, so the places are written last.
  await writeNew(placesOf(path), (write) => write(JSON.stringify(places)))
  await using directory = await open(dirname(path), constants.O_RDONLY)
  await directory.sync()
}

/** A text that `writeLongText` has written; undefined if there is none at this path. */
export async function longText(path: string): Promise<LongText | undefined> {
  const written = await readFile(placesOf(path), 'utf8').catch(ifMissing)
  if (written === undefined) return undefined
  const { length, pieces } = JSON.parse(written) as Places
  const file = await ownFile(path).catch(ifMissing)
  if (file === undefined) return undefined
  return { length, slice: (from, to) => sliceOf(file, pieces, from, Math.min(to, length)) }
}

async function sliceOf(file: ByteSource, pieces: Places['pieces'], from: number, to: number): Promise<string> {
  if (from >= to) return ''
  const first = pieces.findLast(([unit]) => unit <= from)!
  const behind = pieces.find(([unit]) => unit >= to)!
  const text = (await file.read(first[1], behind[1] - first[1])).toString('utf8')
  return text.slice(from - first[0], to - first[0])
}

/** Gives the file its name only when it is complete, so nobody reads half of it. Follows no link. */
async function writeNew(
  path: string,
  fill: (write: (text: string) => Promise<number>) => Promise<number>,
): Promise<number> {
  const part = `${path}.new`
  await rm(part, { force: true })
  const file = await open(part, created, 0o600)
  try {
    const bytes = await fill(async (text) => {
      const piece = Buffer.from(text)
      await file.writeFile(piece)
      return piece.length
    })
    await file.sync()
    await rename(part, path)
    return bytes
  } finally {
    await file.close()
  }
}

function placesOf(path: string): string {
  return `${path}.places.json`
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
