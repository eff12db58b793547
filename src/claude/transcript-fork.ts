import type { ByteSource } from '../lib/byte-source.ts'
import { isRecord } from '../lib/is-record.ts'
import { blocks, type Line, parseLine, textOf } from './line.ts'

/** A conversation's past, ready to be another one's beginning. */
export interface ForkedTranscript {
  /** The whole file. */
  readonly text: string
  /** The uuid of the last answer that both share. */
  readonly lastMessage: string
}

/** Bookkeeping that belongs to one conversation: its costs, its name, what waited in its queue. */
const ownLines = new Set(['cost-state', 'custom-title', 'agent-name', 'queue-operation'])

/**
 * The transcript up to the answer to `delivery`, or, without one, up to the last whole answer, under another session's id.
 * Undefined when there is no such answer. The CLI's own `--fork-session --resume-session-at` does not find a message from
 * before a compaction, and writes its file only with the fork's first message. Pure.
 */
export function forkedTranscript(
  texts: readonly string[],
  to: { readonly sessionId: string; readonly delivery: string | undefined },
): ForkedTranscript | undefined {
  const lines = texts.map(parseLine).filter((line) => line !== undefined)
  const begin = to.delivery === undefined ? 0 : lines.findIndex((line) => line['uuid'] === to.delivery)
  if (begin === -1) return undefined
  const end = to.delivery === undefined ? lines.length : nextPrompt(lines, begin + 1)
  const answer = lines.findLastIndex((line, index) => index >= begin && index < end && isWholeAnswer(line))
  if (answer === -1) return undefined
  const kept = lines.slice(0, nextPrompt(lines, answer + 1)).filter(({ type }) => !ownLines.has(type))
  const text = kept.map((line) => `${JSON.stringify(underId(line, to.sessionId))}\n`).join('')
  return { text, lastMessage: String(lines[answer]!['uuid']) }
}

function nextPrompt(lines: readonly Line[], from: number): number {
  const found = lines.findIndex((line, index) => index >= from && isPrompt(line))
  return found === -1 ? lines.length : found
}

/** Something a person or Iris said; not a tool's result, a compaction's summary, or what a slash command left. */
function isPrompt(line: Line): boolean {
  if (line.type !== 'user' || isAside(line) || line['isMeta'] === true || line['isCompactSummary'] === true)
    return false
  return !blocks(line).some(({ type }) => type === 'tool_result') && !/^<(command-|local-command-)/.test(textOf(line))
}

function isWholeAnswer(line: Line): boolean {
  const message = line['message']
  return line.type === 'assistant' && !isAside(line) && isRecord(message) && message['stop_reason'] === 'end_turn'
}

function isAside(line: Line): boolean {
  return line['isSidechain'] === true
}

function underId(line: Line, sessionId: string): Line {
  return typeof line['sessionId'] === 'string' ? { ...line, sessionId } : line
}

const headBytes = 256 * 1024

/**
 * Whether the conversation came out of another one in a terminal since then (milliseconds since the epoch): by /branch,
 * which says so in each line, or by /clear, which leaves its name at the beginning.
 */
export async function cameOutOf(file: ByteSource, sessionId: string, since: number): Promise<boolean> {
  const lines = (await file.read(0, headBytes)).toString('utf8').split('\n').map(parseLine)
  return lines.some((line) => {
    const from = line?.['forkedFrom']
    if (isRecord(from) && from['sessionId'] === sessionId) return true
    return line !== undefined && isClear(line) && Date.parse(String(line['timestamp'])) >= since
  })
}

function isClear(line: Line): boolean {
  return line.type === 'user' && textOf(line).startsWith('<command-name>/clear<')
}
