import { rmSync } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../lib/is-record.ts'
import { blocks, type Line, parseLine, textOf, toolUseIds } from './line.ts'
import { isTaskNews, ReportsDue } from './reports-due.ts'

/**
 * The CLI's own record of a conversation, `<config directory>/projects/<slug>/<session id>.jsonl`. The slug cannot be
 * computed (long ones carry a hash of the CLI's own), so the file is looked for.
 */
export async function findTranscript(configDirectory: string, sessionId: string): Promise<string | undefined> {
  const projects = join(configDirectory, 'projects')
  const slugs = await readdir(projects).catch(() => [])
  const candidates = slugs.map((slug) => join(projects, slug, `${sessionId}.jsonl`))
  const found = await Promise.all(candidates.map(holdsSomething))
  return candidates.find((_, index) => found[index])
}

/** With what the CLI keeps beside it: long outputs of tools, the conversations of subagents. */
export function deleteTranscript(path: string): void {
  rmSync(path, { force: true })
  rmSync(path.replace(/\.jsonl$/, ''), { recursive: true, force: true })
}

/** An empty file ends the CLI before it is ready, as a missing one does. */
async function holdsSomething(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isFile() && facts.size > 0,
    () => false,
  )
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

/**
 * Read only when the process that wrote it has gone: it is flushed late. `openAgents`: tool uses of which the ledger knows
 * that they may run in the background.
 */
export async function readDelivery(
  path: string,
  uuid: string,
  openAgents: readonly string[] = [],
): Promise<DeliveryRecord> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return judgeLines(text.split('\n'), uuid, openAgents)
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
export async function transcriptHolds(path: string, uuid: string): Promise<boolean> {
  return (await placeOf(path, uuid)) !== undefined
}

/** Where the line with this uuid names it, bytes from the start; of several the last one. */
export async function placeOf(path: string, uuid: string): Promise<number | undefined> {
  const mark = `"uuid":"${uuid}"`
  const file = await open(path)
  try {
    let { size: end } = await file.stat()
    const piece = Buffer.alloc(Math.min(end, pieceBytes))
    for (;;) {
      const start = Math.max(0, end - pieceBytes)
      const { bytesRead } = await file.read(piece, 0, end - start, start)
      const found = piece.subarray(0, bytesRead).lastIndexOf(mark)
      if (found !== -1) return start + found
      if (start === 0) return undefined
      // The mark may lie across the edge.
      end = start + mark.length
    }
  } finally {
    await file.close()
  }
}
