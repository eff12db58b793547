import { pieceEnd } from './utf8.ts'

/** How many characters are encoded at once. Other work can run between two pieces of a longer text. */
const pieceLength = 1024 * 1024

interface Stream {
  write(bytes: Buffer, done: () => void): unknown
}

/** Writes a text as UTF-8. Resolves when all of it is written, or when the stream has failed. */
export async function writeInPieces(stream: Stream, text: string): Promise<void> {
  for (let from = 0; from < text.length; ) {
    const end = pieceEnd(text, from, pieceLength)
    const piece = Buffer.from(text.slice(from, end))
    await new Promise<void>((resolve) => stream.write(piece, resolve))
    from = end
  }
}
