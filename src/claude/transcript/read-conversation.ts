import type { FileHandle } from 'node:fs/promises'
import { type Line, parseLine } from '../../base/agent/line.ts'
import { type ByteSource, openOwnFile, ownFile } from '../../base/lib/byte-source.ts'
import { fileLines } from '../../base/lib/file-lines.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { findEnd } from './conversation-end.ts'
import { type ConversationHead, messagesOpen } from './conversation-shape.ts'

export interface Conversation extends ConversationHead {
  /** ISO 8601; null if the end of the file is torn. */
  readonly createdAt: string | null
  readonly lastUpdated: string | null
  /** All complete messages, read as the caller takes them. */
  messages(): AsyncIterable<Line>
}

const maxHeadBytes = 64 * 1024

/**
 * Reads a `conversation.json`, torn or not, without loading it whole. Undefined for other files; rejects if there is no
 * file.
 */
export async function readConversation(path: string): Promise<Conversation | undefined> {
  const source = await ownFile(path)
  const file = await openOwnFile(path)
  try {
    const { size } = await file.stat()
    const head = await readHead(file)
    const end = await findEnd(file, size)
    if (head === undefined || end === undefined) return undefined
    const { position, tail } = end
    return {
      ...head.fields,
      createdAt: tail?.createdAt ?? null,
      lastUpdated: tail?.lastUpdated ?? null,
      messages: () => messagesBetween(source, head.bytes, position),
    }
  } finally {
    await file.close()
  }
}

/** The fields before the messages, and the bytes up to them; undefined for other files. */
export async function readHead(file: FileHandle): Promise<{ fields: ConversationHead; bytes: number } | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0)
  const start = buffer.indexOf(`\n${messagesOpen}`)
  if (start === -1 || start > bytesRead) return undefined
  const bytes = start + 1 + messagesOpen.length
  try {
    const fields: unknown = JSON.parse(`${buffer.toString('utf8', 0, bytes)}]}`)
    return isHead(fields) ? { fields: withoutMessages(fields), bytes } : undefined
  } catch {
    return undefined
  }
}

function isHead(value: unknown): value is ConversationHead {
  const names = ['sessionId', 'agentName', 'from', 'to', 'thread']
  return isRecord(value) && names.every((name) => typeof value[name] === 'string')
}

function withoutMessages({ sessionId, agentName, from, to, thread }: ConversationHead): ConversationHead {
  return { sessionId, agentName, from, to, thread }
}

async function* messagesBetween(file: ByteSource, start: number, end: number): AsyncIterable<Line> {
  for await (const text of fileLines(file, start, end)) {
    const line = messageOf(text)
    if (line !== undefined) yield line
  }
}

/** Parses a line of the file into a line of the CLI. */
export function messageOf(text: string): Line | undefined {
  return parseLine(text.trim().replace(/,$/, ''))
}
