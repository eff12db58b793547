import type { ByteSource } from '../../base/lib/byte-source.ts'
import { fileLines } from '../../base/lib/file-lines.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { FoundFile } from '../../platform/machine/found-file.ts'
import type { FileTree } from '../../platform/machine/machine.ts'
import { blocks, type Line, parseLine, textOf, toolUseIds } from './line.ts'
import { isTaskNews, ReportsDue } from './reports-due.ts'

/** A larger one is no conversation: nothing is looked for in it, and it is not kept. */
export const largestTranscript = 2 * 1024 ** 3
/** What is loaded whole. */
const mostLoaded = 256 * 1024 ** 2

/**
 * The CLI's own record of a conversation, `projects/<slug>/<session id>.jsonl` in its directory. It lies in another
 * project's directory after a project has moved, so the file is looked for. An empty one ends the CLI before it is ready,
 * as a missing one does. `problems`: what bears its name and is not touched.
 */
export async function lookForTranscript(claude: FileTree, sessionId: string) {
  const { files, problems } = await claude.findBelow(['projects'], `${sessionId}.jsonl`)
  const tooLarge = files
    .filter(({ size }) => size > largestTranscript)
    .map(({ names }) => ({ place: names.join('/'), why: 'it is too large', mayPass: false }))
  const facts = files.find(({ size }) => size > 0 && size <= largestTranscript)
  return { found: facts && new FoundFile(claude, facts), problems: [...problems, ...tooLarge] }
}

export async function findTranscript(claude: FileTree, sessionId: string): Promise<FoundFile | undefined> {
  return (await lookForTranscript(claude, sessionId)).found
}

/** With what the CLI keeps beside it: long outputs of tools, the conversations of subagents. */
export async function deleteTranscript({ tree, facts: { names } }: FoundFile): Promise<void> {
  await tree.remove(names)
  await tree.removeAll([...names.slice(0, -1), names.at(-1)!.replace(/\.jsonl$/, '')])
}

/** All of its lines. Rejects when they are too many to be held. */
export async function allLines(file: ByteSource): Promise<string[]> {
  if (file.size > mostLoaded) throw new Error(`it has ${file.size} bytes, and over ${mostLoaded} are not loaded`)
  const lines: string[] = []
  for await (const line of fileLines(file, 0, mostLoaded)) lines.push(line)
  return lines
}

/** What the transcript knows of one delivery. */
export type DeliveryRecord =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'unfinished'
      readonly partial: string
      readonly openTools: readonly string[]
      /** Ids of all tools it knows to have been started: it is flushed late, others may have been. */
      readonly knownTools: readonly string[]
      /** Tool uses that went on in the background, and whose report is missing. */
      readonly unreported: readonly string[]
    }
  | { readonly kind: 'answered'; readonly answer: string }
  /** It may hold anything. `problem` reads on behind a colon. */
  | { readonly kind: 'unreadable'; readonly problem: string }

export interface Sought {
  readonly uuid: string
  /** Tool uses of which the ledger knows that they may run in the background. */
  readonly openAgents?: readonly string[]
  /** A uuid that comes before it: what is wrong further ahead does not matter. */
  readonly after?: string | null
}

/** Read only when the process that wrote it has gone: it is flushed late. Rejects with what the system says. */
export async function readDelivery(file: ByteSource, { uuid, openAgents, after }: Sought): Promise<DeliveryRecord> {
  const { lines, isGarbled } = await linesSince(file, uuid, after ?? undefined)
  const record = judgeLines(lines, uuid, openAgents)
  const problem = 'it holds what Claude Code has not written'
  return record.kind === 'absent' && isGarbled ? { kind: 'unreadable', problem } : record
}

/**
 * From the first line on that names it. `isGarbled`: something that is no line of the CLI lies where it could have been.
 * The last line may be torn by the end of the process that wrote it.
 */
async function linesSince(file: ByteSource, uuid: string, after: string | undefined) {
  const lines: string[] = []
  let length = 0
  let isGarbled = false
  let last: string | undefined
  let hasLines = false
  for await (const text of fileLines(file)) {
    if (last !== undefined && !isLine(last)) isGarbled = true
    if (after !== undefined && text.includes(after)) isGarbled = false
    hasLines ||= isLine(text)
    last = text
    if (lines.length === 0 && !text.includes(uuid)) continue
    length += text.length
    if (length > mostLoaded) break
    lines.push(text)
  }
  return { lines, isGarbled: isGarbled || (last !== undefined && !hasLines) }
}

/** Two lines of which the first was torn pass for one. */
function isLine(text: string): boolean {
  return text.startsWith('{') && text.trimEnd().endsWith('}')
}

/**
 * Pure. A delivery is answered when an assistant message after it ends its turn, unless a tool of ours before that came
 * back with a broken pipe: such an answer was made without what it asked for. While something in the background has not
 * reported, what was said is not the answer; what was said of the reports is part of it.
 */
export function judgeLines(texts: readonly string[], uuid: string, openAgents: readonly string[] = []): DeliveryRecord {
  const reports = new ReportsDue(openAgents)
  const answers: string[] = []
  const open = new Map<string, string>()
  const known: string[] = []
  let found = false
  let partial = ''
  let answer: { readonly message: unknown; text: string } | undefined
  for (const text of texts) {
    const line = parseLine(text)
    if (line === undefined || line['isSidechain'] === true) continue
    if (!found) {
      found = line.type === 'user' && line['uuid'] === uuid
    } else if (line.type === 'assistant') {
      const message = messageOf(line)
      if (answer && message['id'] !== answer.message) break
      for (const id of toolUseIds(line)) {
        open.set(id, nameOf(line, id))
        known.push(id)
      }
      partial += textOf(line)
      // Each content block is a line of its own, under the id of the message.
      if (message['stop_reason'] === 'end_turn')
        answer = { message: message['id'], text: (answer?.text ?? '') + textOf(line) }
    } else if (line.type === 'user') {
      if (reports.any && line['isMeta'] === true) continue
      if (reports.any && isTaskNews(line) && (reports.due.length > 0 || !answer)) {
        if (answer) answers.push(answer.text)
        answer = undefined
        reports.takeNews(line)
        continue
      }
      if (answer || beginsAnotherTurn(line) || isBrokenPipe(line)) break
      reports.takeResults(line)
      for (const block of blocks(line)) open.delete(String(block['tool_use_id']))
    }
  }
  const unreported = reports.due
  if (answer && unreported.length === 0) return { kind: 'answered', answer: [...answers, answer.text].join('\n\n') }
  if (!found) return { kind: 'absent' }
  return { kind: 'unfinished', partial, openTools: [...open.values()], knownTools: known, unreported }
}

/** The line of a transcript that somebody said to Claude; undefined for any other. */
export function promptOf(text: string): Line | undefined {
  const line = parseLine(text)
  return line && isPrompt(line) ? line : undefined
}

/** Somebody said it to Claude: no tool result, no aside, none of the CLI's own words. */
export function isPrompt(line: Line): boolean {
  if (line.type !== 'user' || typeof line['uuid'] !== 'string') return false
  const isAside = [line['isSidechain'], line['isMeta'], line['isCompactSummary']].includes(true)
  return !isAside && textOf(line) !== ''
}

function messageOf(line: Line): Record<string, unknown> {
  return isRecord(line['message']) ? line['message'] : {}
}

/** One of Iris's, or of the CLI's own, which some builds mark with where it came from. */
function beginsAnotherTurn(line: Line): boolean {
  return /^<(iris-|task-notification>)/.test(textOf(line)) || isRecord(line['origin'])
}

/** For a call or permission question (older builds), and for a hook. */
const brokenPipeText = /stream closed|doesn't want to take this action right now/i

/** What the CLI records for a call, question or hook that was open when its stdin was closed. */
function isBrokenPipe(line: Line): boolean {
  if (line['toolDenialKind'] === 'interrupted') return true
  return blocks(line).some(
    ({ type, is_error, content }) =>
      type === 'tool_result' && is_error === true && brokenPipeText.test(JSON.stringify(content ?? '')),
  )
}

function nameOf(line: Line, id: string): string {
  return String(blocks(line).find((block) => block['id'] === id)?.['name'])
}

const pieceBytes = 4 * 1024 * 1024

/**
 * Whether the transcript knows this uuid. Looked for from its end, where the last deliveries are; what followed one (the
 * outputs of its tools, a compaction) may be long.
 */
export async function transcriptHolds(file: ByteSource, uuid: string): Promise<boolean> {
  return (await placeOf(file, uuid)) !== undefined
}

/** Where the line with this uuid names it, bytes from the start; of several the last one. */
export async function placeOf(file: ByteSource, uuid: string): Promise<number | undefined> {
  const mark = `"uuid":"${uuid}"`
  for (let end = file.size; ; ) {
    const start = Math.max(0, end - pieceBytes)
    const found = (await file.read(start, end - start)).lastIndexOf(mark)
    if (found !== -1) return start + found
    if (start === 0) return undefined
    // The mark may lie across the edge.
    end = start + mark.length
  }
}
