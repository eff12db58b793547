import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { type Line, parseLine } from '../claude/line.ts'
import { isRecord } from '../lib/is-record.ts'
import { LineSplitter } from '../lib/line-splitter.ts'
import { findEnd } from './conversation-end.ts'
import { type ConversationHead, messagesOpen } from './conversation-shape.ts'

export interface Conversation extends ConversationHead {
  /** ISO 8601; null when the end of the file was torn. */
  readonly createdAt: string | null
  readonly lastUpdated: string | null
  /** Every whole message, read while they are asked for. */
  messages(): AsyncIterable<Line>
}

const longestHeadBytes = 64 * 1024
const maxLineBytes = 64 * 1024 * 1024

/** What a `conversation.json` holds, torn or not, without loading it. Undefined when it is none; rejects without a file. */
export async function readConversation(path: string): Promise<Conversation | undefined> {
  const file = await open(path)
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
      messages: () => messagesBetween(path, head.bytes, position),
    }
  } finally {
    await file.close()
  }
}

async function readHead(file: FileHandle): Promise<{ fields: ConversationHead; bytes: number } | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(longestHeadBytes), 0, longestHeadBytes, 0)
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

async function* messagesBetween(path: string, start: number, end: number): AsyncIterable<Line> {
  if (end <= start) return
  let lines: Line[] = []
  const splitter = new LineSplitter({
    maxLineBytes,
    onLine: (text) => {
      const line = parseLine(text.trim().replace(/,$/, ''))
      if (line !== undefined) lines.push(line)
    },
    onOversize: () => {},
  })
  for await (const chunk of createReadStream(path, { start, end: end - 1 })) {
    splitter.push(chunk as Buffer)
    yield* lines
    lines = []
  }
  splitter.push(Buffer.from('\n'))
  yield* lines
}
