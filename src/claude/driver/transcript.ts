import type { DeliveryRecord, Sought } from '../../base/agent/delivery-record.ts'
import { blocks, isOfModel, type Line, parseLine, textOf, toolUseIds } from '../../base/agent/line.ts'
import type { ByteSource } from '../../base/lib/byte-source.ts'
import { fileLines } from '../../base/lib/file-lines.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { FoundFile } from '../../platform/machine/found-file.ts'
import type { FileTree } from '../../platform/machine/machine.ts'
import { joinedAnswers, joinedTexts, Speech } from './answer.ts'
import { pauseReasons } from './ending-tables.ts'
import { isTaskNews, ReportsDue } from './reports-due.ts'

/** The size limit in bytes. Iris neither reads nor keeps a larger file. */
export const maxTranscript = 2 * 1024 ** 3
/** The most that Iris loads of a transcript at once: bytes of a file, or characters of lines. */
const maxLoaded = 256 * 1024 ** 2

/**
 * Finds the transcript, the CLI's own record of a conversation: `projects/<slug>/<session id>.jsonl` in its directory.
 * After a project has moved, its transcripts keep the old slug, so all projects are searched. Empty files are ignored:
 * an empty transcript makes the CLI exit at its start, as a missing one does. `problems`: files of that name that Iris
 * does not touch.
 */
export async function lookForTranscript(claude: FileTree, sessionId: string) {
  const { files, problems } = await claude.findBelow(['projects'], `${sessionId}.jsonl`)
  const tooLarge = files
    .filter(({ size }) => size > maxTranscript)
    .map(({ names }) => ({ place: names.join('/'), why: 'it is too large', mayPass: false }))
  const facts = files.find(({ size }) => size > 0 && size <= maxTranscript)
  return { found: facts && new FoundFile(claude, facts), problems: [...problems, ...tooLarge] }
}

export async function findTranscript(claude: FileTree, sessionId: string): Promise<FoundFile | undefined> {
  return (await lookForTranscript(claude, sessionId)).found
}

/** Also deletes the directory next to the transcript, which has long tool outputs and subagents' conversations. */
export async function deleteTranscript({ tree, facts: { names } }: FoundFile): Promise<void> {
  await tree.remove(names)
  await tree.removeAll(besideTranscript(names))
}

/**
 * The path of the transcripts of a conversation's subagents. `names`: the path of the conversation's own transcript.
 */
export function subagentsPlace(names: readonly string[]): readonly string[] {
  return [...besideTranscript(names), 'subagents']
}

/** The directory that has the transcript's name without the extension. */
function besideTranscript(names: readonly string[]): readonly string[] {
  return [...names.slice(0, -1), names.at(-1)!.replace(/\.jsonl$/, '')]
}

export async function subagentsOf({ tree, facts }: FoundFile): Promise<readonly FoundFile[]> {
  const place = subagentsPlace(facts.names)
  const found: FoundFile[] = []
  for await (const name of tree.list(place)) {
    const file = name.endsWith('.jsonl') || name.endsWith('.json') ? await tree.find([...place, name]) : undefined
    if (file) found.push(new FoundFile(tree, file))
  }
  return found
}

/** All lines of a transcript. Rejects if the file has over 256 MiB. */
export async function allLines(file: ByteSource): Promise<string[]> {
  if (file.size > maxLoaded) throw new Error(`it has ${file.size} bytes, and Iris loads at most ${maxLoaded}`)
  const lines: string[] = []
  for await (const line of fileLines(file, 0, maxLoaded)) lines.push(line)
  return lines
}

/**
 * Call only after the process that wrote the file has exited: it flushes late. Rejects with errors of the file system.
 */
export async function readDelivery(file: ByteSource, { uuid, openAgents, after }: Sought): Promise<DeliveryRecord> {
  const { lines, isGarbled } = await linesSince(file, uuid, after ?? undefined)
  const record = judgeLines(lines, uuid, openAgents)
  const problem = 'it contains lines that Claude Code did not write'
  return record.kind === 'absent' && isGarbled ? { kind: 'unreadable', problem } : record
}

/**
 * The lines from the first one that contains `uuid`. `isGarbled`: whether the file has invalid lines after `after`,
 * where the line with `uuid` could have been. An invalid last line does not count if others are valid: the end of the
 * writing process may have cut it.
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
    if (length > maxLoaded) break
    lines.push(text)
  }
  return { lines, isGarbled: isGarbled || (last !== undefined && !hasLines) }
}

/** A cheap check: a cut line joined with the next one also passes. */
function isLine(text: string): boolean {
  return text.startsWith('{') && text.trimEnd().endsWith('}')
}

/**
 * Pure. A delivery is answered when a message of the model after it ends the turn. A later message of the CLI itself to
 * the model, such as a hook's feedback, reopens the turn, and so does an API error. An answer after a tool call that
 * failed with a broken pipe does not count: it lacks the result that the model requested. While a background task has
 * not reported, the text so far is not the answer. The text about the reports is part of the answer.
 */
export function judgeLines(texts: readonly string[], uuid: string, openAgents: readonly string[] = []): DeliveryRecord {
  const reports = new ReportsDue(openAgents)
  const open = new Map<string, string>()
  const known: string[] = []
  const earlier: Speech[] = []
  let speech = new Speech()
  let found = false
  /** The id of the message that ended the turn. */
  let ended: unknown
  let stopReason: unknown
  for (const text of texts) {
    const line = parseLine(text)
    if (line === undefined || line['isSidechain'] === true) continue
    if (!found) {
      found = (line.type === 'user' && line['uuid'] === uuid) || joinedAs(line) === uuid
    } else if (line.type === 'assistant') {
      const message = messageOf(line)
      if (line['isApiErrorMessage'] === true) ended = undefined
      if (!isOfModel(line)) continue
      if (ended !== undefined && message['id'] !== ended) break
      for (const id of toolUseIds(line)) {
        open.set(id, nameOf(line, id))
        known.push(id)
      }
      speech.take(line)
      stopReason = message['stop_reason']
      if (endsTurn.has(stopReason)) ended = message['id']
    } else if (line.type === 'user') {
      if (isInstruction(line)) {
        speech.take(line)
        ended = undefined
        continue
      }
      if (reports.any && line['isMeta'] === true) continue
      if (reports.any && isTaskNews(line) && (reports.due.length > 0 || ended === undefined)) {
        if (ended !== undefined) {
          earlier.push(speech)
          speech = new Speech()
          ended = undefined
        }
        reports.takeNews(line)
        continue
      }
      if (ended !== undefined || beginsAnotherTurn(line) || isBrokenPipe(line)) break
      reports.takeResults(line)
      for (const block of blocks(line)) open.delete(String(block['tool_use_id']))
    }
  }
  const unreported = reports.due
  const spoken = [...earlier, speech]
  if (ended !== undefined && unreported.length === 0) {
    const { text: answer, notes } = joinedAnswers(spoken.map((each) => each.answer))
    return { kind: 'answered', answer, ...(notes && { notes }) }
  }
  if (!found) return { kind: 'absent' }
  const partial = joinedTexts(spoken.map(({ everything }) => everything))
  const isPaused = pauseReasons.includes(String(stopReason)) && unreported.length === 0
  const paused = isPaused ? { paused: joinedAnswers(spoken.map((each) => each.answer)) } : {}
  return { kind: 'unfinished', partial, openTools: [...open.values()], knownTools: known, unreported, ...paused }
}

/** Stop reasons of the last message of a turn. */
const endsTurn: ReadonlySet<unknown> = new Set(['end_turn', 'stop_sequence'])

/**
 * Whether the CLI itself asks the model to continue, for example after a hook's feedback. Its other lines of this kind
 * are tagged.
 */
function isInstruction(line: Line): boolean {
  return line['isMeta'] === true && !textOf(line).trimStart().startsWith('<')
}

/** The uuid of a message that joined the turn under way, which the CLI records as an attachment. */
function joinedAs({ attachment }: Line): unknown {
  return isRecord(attachment) && attachment['type'] === 'queued_command' ? attachment['source_uuid'] : undefined
}

/** Parses a line; undefined unless it is a message to Claude. */
export function promptOf(text: string): Line | undefined {
  const line = parseLine(text)
  return line && isPrompt(line) ? line : undefined
}

/** Whether the line is a message to Claude: not a tool result, a subagent's line or the CLI's own text. */
export function isPrompt(line: Line): boolean {
  if (line.type !== 'user' || typeof line['uuid'] !== 'string') return false
  const isAside = [line['isSidechain'], line['isMeta'], line['isCompactSummary']].includes(true)
  return !isAside && textOf(line) !== ''
}

function messageOf(line: Line): Record<string, unknown> {
  return isRecord(line['message']) ? line['message'] : {}
}

/** Whether a line begins another turn: of Iris, or of the CLI itself, which some builds mark with an origin. */
function beginsAnotherTurn(line: Line): boolean {
  return /^<(iris-|task-notification>)/.test(textOf(line)) || isRecord(line['origin'])
}

/** The error text of a call or permission question in older builds, and of a hook. */
const brokenPipeText = /stream closed|doesn't want to take this action right now/i

/** Whether the CLI recorded a call, question or hook that was open when its stdin was closed. */
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
 * Whether the transcript has a line with this uuid. Searches the whole file from its end, where the last deliveries
 * are; tool outputs or a compaction after a delivery may be long.
 */
export async function transcriptHolds(file: ByteSource, uuid: string): Promise<boolean> {
  return (await placeOf(file, uuid)) !== undefined
}

/**
 * Byte offset of a line whose own `uuid` is this one; undefined if there is none. Searches from byte `near` in both
 * directions, so that only a little of a large file is read if the position is roughly known. By default, this finds
 * the last occurrence.
 */
export async function placeOf(file: ByteSource, uuid: string, near = file.size): Promise<number | undefined> {
  const mark = `"uuid":"${uuid}"`
  const within = async (start: number, end: number): Promise<number | undefined> => {
    const found = (await file.read(start, end - start)).lastIndexOf(mark)
    return found === -1 ? undefined : start + found
  }
  // The mark may span two pieces.
  for (let [below, above] = [near, near]; below > 0 || above < file.size; ) {
    const start = Math.max(0, below - pieceBytes)
    const before = below > 0 ? await within(start, Math.min(file.size, below + mark.length)) : undefined
    if (before !== undefined) return before
    below = start
    const end = Math.min(file.size, above + pieceBytes)
    const after = above < file.size ? await within(Math.max(0, above - mark.length), end) : undefined
    if (after !== undefined) return after
    above = end
  }
  return undefined
}
