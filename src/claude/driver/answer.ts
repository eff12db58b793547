import type { Answer } from '../../base/agent/answer.ts'
import { beginsMessage, blocks, echoedUuid, isOfModel, type Line, textOf } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { pauseReasons } from './ending-tables.ts'

/**
 * Tools that do nothing outside of the conversation: they only keep the agent's task list, or return a typed answer.
 */
const quietTools: ReadonlySet<unknown> = new Set([
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
  'TodoWrite',
  'mcp__iris__return_value',
])

/** Stop reasons of a message that the model continues in its next message. */
const cutReasons: ReadonlySet<unknown> = new Set(['max_tokens', 'model_context_window_exceeded', ...pauseReasons])

/**
 * Texts of the CLI that ask the model for the rest of a message. 2.1.330 has several of them. 2.1.197 has none; there,
 * the stop reason shows that a message is cut.
 */
const asksForRest = [
  /^Output token limit hit\. Resume directly/,
  /^Your response was cut off because it exceeded the output token limit\. Continue from where/,
  /^Your response above was cut off mid-stream\. Resume directly/,
]

/** Texts of the CLI that ask the model to repeat a cut message from the start. */
const asksAgain = [
  /^Output token limit hit( again)?\. Your caller does not receive an answer in pieces/,
  /^Your response above was cut off mid-stream and only your next message is delivered/,
]

const hookFeedback = /^(?:\w+ )?hook feedback:?\s*(?:\[[^]*?\]: )?/i

interface Part {
  readonly uuid: unknown
  readonly kind: 'text' | 'action' | 'other'
  readonly text: string
}

interface Message {
  readonly id: unknown
  readonly parts: Part[]
  stopReason: unknown
}

type Note = 'rest' | 'again' | 'hook' | 'other'

/** A message of the model, or a note about what the CLI says to the model between two messages. */
type Entry = Message | Note

interface Segment {
  readonly text: string
  readonly acted: boolean
}

/**
 * Determines the agent's answer from the lines of the pipe or of a transcript. The unit is the message; each of its
 * blocks has its own line. A segment ends with a message that uses a tool.
 */
export class Speech {
  readonly #entries: Entry[] = []
  readonly #messages: Message[] = []
  readonly #hookReasons: string[] = []
  /** Whether the model is writing a message that has no complete block yet. */
  #isNextBegun = false
  /** Uuids of lines that the CLI has withdrawn. */
  readonly #retracted = new Set<unknown>()
  #segments: Segments | undefined

  take(line: Line): void {
    if (typeof line['parent_tool_use_id'] === 'string' || line['isSidechain'] === true) return
    if (line.type === 'assistant') this.#takeMessage(line)
    else if (line.type === 'user') this.#takeUser(line)
    else if (line.type === 'stream_event') return this.#takeEvent(line)
    this.#retract(line['retracted_message_uuids'])
    this.#retract(line['supersedes'])
  }

  /** Whether the model has said or done something. */
  get hasBegun(): boolean {
    return this.#messages.length > 0
  }

  get answer(): Answer {
    const { segments, kept, whole: everything } = this.#read()
    const last = segments.findLastIndex(({ text }) => text.trim() !== '')
    const { text: said = '', acted: toolAfter = false } = segments[last] ?? {}
    const isRepeated = kept === undefined || kept.segment === last || kept.text.trim() === said.trim()
    const text = isRepeated ? said : joinedTexts([kept.text, said])
    const before = segments.slice(0, Math.max(last, 0)).filter((_, index) => index !== kept?.segment)
    const longest = Math.max(0, ...before.map((segment) => segment.text.length))
    const longerBefore = longest > text.length ? longest : 0
    const hookReasons = [...this.#hookReasons]
    const isPlain = !toolAfter && hookReasons.length === 0 && everything.trim() === text.trim()
    return { text, notes: isPlain ? undefined : { toolAfter, longerBefore, hookReasons, everything } }
  }

  /** Everything the agent said, including the text between its tools. */
  get everything(): string {
    return this.#read().whole
  }

  /** The same, including a block of text that is still being written. */
  everythingWith(unfinished: string): string {
    const { whole, isCut } = this.#read()
    if (unfinished === '') return whole
    const last = this.#messages.at(-1)
    const isSameText = !this.#isNextBegun && last?.parts.at(-1)?.kind === 'text'
    if (isSameText) return whole + unfinished
    return isCut ? continued(whole, unfinished) : joinedTexts([whole, unfinished])
  }

  #takeMessage(line: Line): void {
    const message = isRecord(line['message']) ? line['message'] : {}
    if (!isOfModel(line) || line['isApiErrorMessage'] === true) return
    const id = message['id']
    const last = this.#messages.at(-1)
    const known = id !== undefined && last?.id === id ? last : undefined
    const taken: Message = known ?? { id, parts: [], stopReason: undefined }
    if (known === undefined) {
      this.#entries.push(taken)
      this.#messages.push(taken)
    }
    taken.parts.push(...blocks(line).map((block) => partOf(block, line['uuid'])))
    // On the pipe, the stop reason in this line is null, and the actual one follows in an event, unless the message was
    // not streamed.
    taken.stopReason = message['stop_reason'] ?? taken.stopReason
    this.#isNextBegun = false
    this.#segments = undefined
  }

  #takeUser(line: Line): void {
    if (line['isMeta'] !== true && line['isSynthetic'] !== true) return
    if (echoedUuid(line) !== undefined) return
    const text = textOf(line)
    const note = noteOf(text)
    if (note === 'hook') this.#hookReasons.push(text.replace(hookFeedback, '').trim())
    this.#entries.push(note)
    this.#segments = undefined
  }

  #takeEvent(line: Line): void {
    if (beginsMessage(line)) this.#isNextBegun = true
    const { event } = line
    const message = this.#messages.at(-1)
    if (message === undefined || !isRecord(event) || event['type'] !== 'message_delta' || !isRecord(event['delta']))
      return
    message.stopReason = event['delta']['stop_reason'] ?? message.stopReason
    this.#segments = undefined
  }

  #retract(uuids: unknown): void {
    if (!Array.isArray(uuids)) return
    for (const uuid of uuids) this.#retracted.add(uuid)
    this.#segments = undefined
  }

  #read(): Segments {
    this.#segments ??= segmentsOf(this.#entries, this.#retracted)
    return this.#segments
  }
}

interface Segments {
  readonly segments: readonly Segment[]
  /** The texts of all segments. */
  readonly whole: string
  /** Whether the next message continues the text of the last one. */
  readonly isCut: boolean
  /** The complete text at the time a Stop hook first blocked. */
  readonly kept: { readonly text: string; readonly segment: number } | undefined
}

function segmentsOf(entries: readonly Entry[], retracted: ReadonlySet<unknown>): Segments {
  const segments: Segment[] = []
  let kept: Segments['kept']
  let isSentOn = false
  let text = ''
  let isCut = false
  let lastText = ''
  const end = (acted: boolean): void => {
    segments.push({ text, acted })
    text = ''
  }
  for (const entry of entries) {
    if (entry === 'hook') {
      isSentOn = true
      kept ??= wholeAt(segments, text)
    } else if (entry === 'again') end(false)
    else if (entry === 'rest') isCut = true
    if (typeof entry === 'string') continue
    const parts = entry.parts.filter(({ uuid }) => !retracted.has(uuid))
    const added = textOfParts(parts)
    // An agent that a hook keeps from ending often repeats itself.
    const isRepeated = isSentOn && !isCut && added.trim() === lastText.trim()
    if (added !== '' && !isRepeated) {
      text = isCut ? continued(text, added) : joinedTexts([text, added])
      lastText = added
    }
    isCut = cutReasons.has(entry.stopReason)
    if (parts.some(({ kind }) => kind === 'action')) end(true)
  }
  end(false)
  return { segments, whole: joinedTexts(segments.map((segment) => segment.text)), isCut, kept }
}

function wholeAt(segments: readonly Segment[], text: string): Segments['kept'] {
  if (text.trim() !== '') return { text, segment: segments.length }
  const segment = segments.findLastIndex((each) => each.text.trim() !== '')
  return segment === -1 ? undefined : { text: segments[segment]!.text, segment }
}

/** The joint answer of several results, in order. */
export function joinedAnswers(answers: readonly Answer[]): Answer {
  const text = joinedTexts(answers.map((each) => each.text))
  const notes = answers.flatMap((each) => each.notes ?? [])
  if (notes.length === 0) return { text, notes: undefined }
  const longest = Math.max(...notes.map(({ longerBefore }) => longerBefore))
  return {
    text,
    notes: {
      toolAfter: answers.at(-1)?.notes?.toolAfter === true,
      longerBefore: longest > text.length ? longest : 0,
      hookReasons: notes.flatMap(({ hookReasons }) => hookReasons),
      everything: joinedTexts(answers.map((each) => each.notes?.everything ?? each.text)),
    },
  }
}

/** Joins the two parts of a text that was cut. A code fence or a table row needs its own line. */
export function continued(before: string, after: string): string {
  const needsLine = /^(```|~~~|\|)/.test(after) && before !== '' && !before.endsWith('\n')
  return `${before}${needsLine ? '\n' : ''}${after}`
}

/** Joins separate texts with blank lines between them, without blank texts. */
export function joinedTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n')
}

/** Adjacent blocks of text are one text. */
function textOfParts(parts: readonly Part[]): string {
  const runs: string[] = []
  let isOpen = false
  for (const { kind, text } of parts) {
    if (kind === 'text' && isOpen) runs.push(`${runs.pop()}${text}`)
    else if (kind === 'text') runs.push(text)
    isOpen = kind === 'text'
  }
  return joinedTexts(runs)
}

function partOf({ type, text, name }: Readonly<Record<string, unknown>>, uuid: unknown): Part {
  if (type === 'text' && typeof text === 'string') return { uuid, kind: 'text', text }
  return { uuid, kind: type === 'tool_use' && !quietTools.has(name) ? 'action' : 'other', text: '' }
}

function noteOf(text: string): Note {
  if (asksForRest.some((each) => each.test(text))) return 'rest'
  if (asksAgain.some((each) => each.test(text))) return 'again'
  return hookFeedback.test(text) ? 'hook' : 'other'
}
