import { isSystem, type Line, parseLine, textOf } from '../../base/agent/line.ts'
import type { ByteSource } from '../../base/lib/byte-source.ts'
import { TurnLines } from './turn-lines.ts'

/** Whether a transcript has the answer to a delivery, but the conversation no longer includes it. */
export async function leavesOut(file: ByteSource, delivery: string): Promise<boolean> {
  return leavesAnswerOut(await tailOf(file), delivery)
}

/** Whether a process that resumes this transcript knows the message that one of the deliveries carried. */
export async function holdsMessage(file: ByteSource, deliveries: ReadonlySet<string>): Promise<boolean> {
  return resumesWith(await tailOf(file), deliveries)
}

/**
 * Pure. The CLI resumes from the last entry. 2.1.197 resumes from the entry that the last `last-prompt` line names if
 * the chain of the last entry does not lead to it. Both chains must contain the message, because a newer build may
 * prefer either. Entries before a compaction are not in the model's context.
 */
export function resumesWith(lines: readonly Line[], deliveries: ReadonlySet<string>): boolean {
  const entries = new Map(lines.filter(isEntry).map((line) => [line['uuid'], line]))
  const last = [...entries.values()].at(-1)
  const leaf = lines.findLast(({ type }) => type === 'last-prompt')?.['leafUuid']
  const chain = chainOf(last, entries)
  const isMessage = (line: Line): boolean =>
    deliveries.has(String(line['uuid'])) && textOf(line).includes('<iris-message ')
  if (!chain.some(isMessage)) return false
  const isOnChain = leaf === undefined || chain.some((line) => line['uuid'] === leaf)
  return isOnChain || chainOf(entries.get(leaf), entries).some(isMessage)
}

/** Whether nothing comes after the answer to this delivery: no message, report or work from anyone. */
export async function endsWithAnswer(file: ByteSource, delivery: string): Promise<boolean> {
  return isLastAnswer(await tailOf(file), delivery)
}

/** Pure. False if the lines do not contain the delivery, because it may not be the last one. */
export function isLastAnswer(lines: readonly Line[], delivery: string): boolean {
  const said = lines.filter((line) => isEntry(line) && (line.type === 'user' || line.type === 'assistant'))
  const at = said.findLastIndex((line) => line['uuid'] === delivery)
  const after = at === -1 ? [] : said.slice(at + 1)
  const isWork = (line: Line): boolean => line.type === 'assistant' || textOf(line) === ''
  return after.at(-1)?.type === 'assistant' && after.every(isWork)
}

/** An entry and its predecessors, newest first, back to the last compaction. */
function chainOf(from: Line | undefined, entries: ReadonlyMap<unknown, Line>): Line[] {
  const chain = new Set<Line>()
  for (let at = from; at !== undefined && !chain.has(at); at = entries.get(at['parentUuid'])) {
    chain.add(at)
    if (isSystem(at, 'compact_boundary')) break
  }
  return [...chain]
}

function isEntry(line: Line): boolean {
  return typeof line['uuid'] === 'string' && line['isSidechain'] !== true
}

/**
 * Pure. Each entry names its parent, and the CLI resumes from the last entry. If two processes had the session open,
 * the last writer continued from what it knew, so the other's entries are not ancestors of its last entry.
 */
export function leavesAnswerOut(lines: readonly Line[], delivery: string): boolean {
  const chain = lines.filter(isEntry)
  const places = new Map(chain.map((line, index) => [line['uuid'], index]))
  const since = chain.findIndex((line) => line['uuid'] === delivery)
  const answer = since === -1 ? undefined : firstAnswer(chain.slice(since + 1))
  if (answer === undefined) return false
  for (let at: Line | undefined = chain.at(-1); at !== undefined; ) {
    if (at['uuid'] === answer) return false
    const place: number | undefined = places.get(at['parentUuid'] ?? at['logicalParentUuid'])
    if (place === undefined) return false
    // The chain reaches the message, or an earlier entry, without passing the answer.
    if (place <= since) return true
    at = place < places.get(at['uuid'])! ? chain[place] : undefined
  }
  return false
}

/** The uuid of the first answer after which no report of a background task is due. */
function firstAnswer(lines: readonly Line[]): unknown {
  const turn = new TurnLines()
  for (const line of lines) {
    turn.take(line)
    if (turn.answer) return turn.answer['uuid']
  }
  return undefined
}

/**
 * How much of the end is read: enough for what a person does in one sitting. If the chain leads beyond this tail,
 * nothing is claimed about the earlier part.
 */
const tailBytes = 4 * 1024 * 1024

async function tailOf(file: ByteSource): Promise<Line[]> {
  const length = Math.min(file.size, tailBytes)
  const text = (await file.read(file.size - length, length)).toString('utf8')
  return text
    .split('\n')
    .map(parseLine)
    .filter((line) => line !== undefined)
}
