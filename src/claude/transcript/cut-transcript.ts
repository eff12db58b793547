import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { type ByteSource, openOwnFile, ownFile } from '../../base/lib/byte-source.ts'
import { lineStart } from '../../base/lib/file-lines.ts'
import { placeOf } from '../driver/transcript.ts'
import { findEnd } from './conversation-end.ts'
import { readHead } from './read-conversation.ts'

/** The time of a record of `stream.log`, or the one at which a session was continued. */
const timed = /^(?:\[|Continued at: )(\d{4}-\d\d-\d\dT[\d:.]+Z)/
const recordStart = /\n\[(\d{4}-\d\d-\d\dT[\d:.]+Z)\] /g
/** More bytes than the beginning of a record takes. */
const recordBytes = 64
const firstBytes = 512
const pieceBytes = 256 * 1024

/**
 * Whether a `stream.log` begins with a record from before this time, milliseconds since the epoch; true if that is
 * unknown. Reads only its beginning.
 */
export async function beginsBefore(path: string, before: number): Promise<boolean> {
  const log = await ownFile(path).catch(() => undefined)
  if (log === undefined) return true
  if (log.size === 0) return false
  const lines = (await log.read(0, firstBytes)).toString().split('\n')
  const at = lines.map(timeOf).find((time) => time !== undefined)
  return at === undefined || at < before
}

/**
 * Deletes the records of a `stream.log` before the first one of this time or later. A text in the log can look like a
 * record of a later time; then more is kept.
 */
export async function cutLog(path: string, before: number): Promise<void> {
  const log = await ownFileOrNone(path)
  if (log === undefined) return
  const place = await firstRecord(log, before)
  if (place > 0) await keepFrom(path, log, place, Buffer.alloc(0))
}

/** Where the first record of this time or later begins; the end of the log if there is none. */
async function firstRecord(log: ByteSource, from: number): Promise<number> {
  for (let at = 0; at < log.size; at += pieceBytes) {
    const bytes = await log.read(Math.max(0, at - 1), pieceBytes + recordBytes)
    // The log may begin with a record; all others come after a line feed. One character is one byte.
    const text = `${at === 0 ? '\n' : ''}${bytes.toString('latin1')}`
    for (const { index, 1: time = '' } of text.matchAll(recordStart)) if (Date.parse(time) >= from) return at + index
  }
  return log.size
}

/**
 * Deletes the messages of a `conversation.json` before the one with the uuid `first`, or all messages if `first` is
 * undefined. Does not change a file that has no such message or is not a conversation.
 */
export async function cutConversation(path: string, first: string | undefined): Promise<void> {
  const source = await ownFileOrNone(path)
  if (source === undefined) return
  const ends = await endsOf(path)
  if (ends === undefined) return
  const { head, end } = ends
  let from = end
  if (first !== undefined) {
    const place = await placeOf(source, first, head.length)
    if (place === undefined) return
    // Keeps the line feed before the message.
    from = (await lineStart(source, place)) - 1
  }
  if (from > head.length) await keepFrom(path, source, from, head)
}

/** The beginning of a conversation's file up to its messages, and where its last message ends. */
async function endsOf(path: string): Promise<{ head: Buffer; end: number } | undefined> {
  await using file = await openOwnFile(path)
  const { size } = await file.stat()
  const head = await readHead(file)
  const end = await findEnd(file, size)
  if (head === undefined || end === undefined) return undefined
  const { buffer } = await file.read(Buffer.alloc(head.bytes), 0, head.bytes, 0)
  return { head: buffer, end: end.position }
}

/**
 * Replaces the file with `head` and the file's bytes from `from` on. A reader sees either the old file or the new one.
 */
async function keepFrom(path: string, source: ByteSource, from: number, head: Buffer): Promise<void> {
  const next = `${path}.new`
  await rm(next, { force: true })
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const file = await open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await file.writeFile(head)
    for (let place = from; place < source.size; ) {
      const piece = await source.read(place, Math.min(pieceBytes, source.size - place))
      if (piece.length === 0) break
      await file.writeFile(piece)
      place += piece.length
    }
    await file.datasync()
  } catch (error) {
    await rm(next, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await rename(next, path)
}

function timeOf(line: string): number | undefined {
  const at = Date.parse(timed.exec(line)?.[1] ?? '')
  return Number.isNaN(at) ? undefined : at
}

async function ownFileOrNone(path: string): Promise<ByteSource | undefined> {
  try {
    return await ownFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
