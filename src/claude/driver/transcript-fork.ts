import { blocks, type Line, parseLine, textOf } from '../../base/agent/line.ts'
import type { ByteSource } from '../../base/lib/byte-source.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { TurnLines } from './turn-lines.ts'

/** The history of a conversation, as the start of another one. */
export interface ForkedTranscript {
  /** The whole content of the new transcript. */
  readonly text: string
  /** The uuid of the last answer in both conversations. */
  readonly lastMessage: string
}

/** Lines that belong to one conversation only: its costs, its name, its queue. */
const ownLines = new Set(['cost-state', 'custom-title', 'agent-name', 'queue-operation'])

export interface ForkTarget {
  readonly sessionId: string
  /** The fork ends with the answer to this delivery; if undefined, with the last complete answer. */
  readonly delivery: string | undefined
  /** A delivery that the ledger knows to be answered, even if the transcript lacks reports of its background tasks. */
  readonly answered: string | undefined
}

/**
 * Copies a transcript up to an answer, under the id of another session. Undefined if there is no such answer. The CLI's
 * own `--fork-session --resume-session-at` does not find a message from before a compaction, and writes its file only
 * at the fork's first message. Pure.
 */
export function forkedTranscript(texts: readonly string[], to: ForkTarget): ForkedTranscript | undefined {
  const lines = texts.map(parseLine).filter((line) => line !== undefined)
  const turns = turnsIn(lines)
  const isNamed = (turn: TurnLines): boolean => lines[turn.begin]?.['uuid'] === to.delivery
  const answerOf = (turn: TurnLines): Line | undefined =>
    lines[turn.begin]?.['uuid'] === to.answered ? turn.lastWords : turn.answer
  const last = turns.findLastIndex((turn) => (to.delivery === undefined || isNamed(turn)) && answerOf(turn))
  if (last === -1) return undefined
  const kept = lines.slice(0, turns[last + 1]?.begin).filter(({ type }) => !ownLines.has(type))
  const text = kept.map((line) => `${JSON.stringify(underId(line, to.sessionId))}\n`).join('')
  return { text, lastMessage: String(answerOf(turns[last]!)!['uuid']) }
}

/**
 * A whole transcript under the id of another session. Leaves out anything that is not a line of Claude Code, such as a
 * cut line.
 */
export function transcriptUnder(texts: readonly string[], sessionId: string): string {
  const lines = texts.map(parseLine).filter((line) => line !== undefined && !ownLines.has(line.type))
  return lines.map((line) => `${JSON.stringify(underId(line!, sessionId))}\n`).join('')
}

function turnsIn(lines: readonly Line[]): readonly TurnLines[] {
  let turn = new TurnLines()
  const turns = [turn]
  for (const [index, line] of lines.entries()) {
    if (isAside(line)) continue
    if (isPrompt(line) && !turn.isReport(line)) turns.push((turn = new TurnLines(index)))
    turn.take(line)
  }
  return turns
}

/** A message of a person or of Iris: not a tool result, a compaction's summary, or the output of a slash command. */
function isPrompt(line: Line): boolean {
  if (line.type !== 'user' || line['isMeta'] === true || line['isCompactSummary'] === true) return false
  return !blocks(line).some(({ type }) => type === 'tool_result') && !/^<(command-|local-command-)/.test(textOf(line))
}

function isAside(line: Line): boolean {
  return line['isSidechain'] === true
}

function underId(line: Line, sessionId: string): Line {
  return typeof line['sessionId'] === 'string' ? { ...line, sessionId } : line
}

const headBytes = 256 * 1024

/** The origin of a conversation that a person opened in a terminal; `nothing said`: it has no message yet. */
export type Origin = 'nothing said' | 'the other one' | 'elsewhere'

/**
 * Whether a conversation was made from `other` in a terminal: by /branch, as every line then records, or by /clear, if
 * that is the first message and comes after `since` (milliseconds since the epoch). After /clear, Claude Code creates
 * the file before the person says anything, with lines that are not messages.
 */
export async function originOf(file: ByteSource, other: string, since: number): Promise<Origin> {
  const lines = (await file.read(0, headBytes)).toString('utf8').split('\n').map(parseLine)
  const cameOut = lines.some((line) => {
    const from = line?.['forkedFrom']
    if (isRecord(from) && from['sessionId'] === other) return true
    return line !== undefined && isClear(line) && Date.parse(String(line['timestamp'])) >= since
  })
  if (cameOut) return 'the other one'
  return file.size <= headBytes && !lines.some((line) => line?.type === 'user') ? 'nothing said' : 'elsewhere'
}

function isClear(line: Line): boolean {
  return line.type === 'user' && textOf(line).startsWith('<command-name>/clear<')
}
