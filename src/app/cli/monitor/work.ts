import { isRecord } from '../../../base/lib/is-record.ts'
import { apiRefusal } from '../../../base/protocol/api-refusal.ts'
import type { Outcome } from '../../../base/protocol/turn.ts'

/** A tool use, and its offset in the text. */
interface Mark {
  readonly at: number
  readonly text: string
}

/** What is known about a turn: its text, its tools, its state. */
export interface Work {
  readonly turnId: string
  /**
   * When the turn was delivered to Claude, milliseconds since the epoch. Undefined if that was before the monitor
   * started.
   */
  readonly since: number | undefined
  /** The message; empty if the monitor started later. */
  readonly asked: string
  readonly text: string
  readonly marks: readonly Mark[]
  /** What the agent is doing now, in a few words. */
  readonly doing: string
  /** Absent while the message is being answered. */
  readonly outcome?: Outcome
}

export function begun(turnId: string): Work {
  return { turnId, since: undefined, asked: '', text: '', marks: [], doing: 'thinks' }
}

/** Replaces the text from offset `at` on; 0 discards the earlier text. */
export function says(work: Work, at: number, text: string): Work {
  const marks = work.marks.filter((mark) => mark.at <= at)
  return { ...work, text: work.text.slice(0, at) + text, marks, doing: 'writes' }
}

/** Applies a line of Claude Code: a complete message, a tool use, or the result of a tool. */
export function tells(work: Work, line: unknown): Work {
  if (!isRecord(line)) return work
  if (line['type'] === 'user') return { ...work, asked: work.asked || askedIn(line), doing: 'thinks' }
  if (isRetry(line)) return { ...work, doing: apiRefusal(line).what }
  // Lines of a subagent are left out.
  if (line['type'] !== 'assistant' || typeof line['parent_tool_use_id'] === 'string') return work
  return blocks(line).reduce<Work>(tellsBlock, work)
}

/** Whether the line says that Claude Code repeats a request that the model's API refused. */
export function isRetry(line: unknown): line is Readonly<Record<string, unknown>> {
  return isRecord(line) && line['type'] === 'system' && line['subtype'] === 'api_retry'
}

function tellsBlock(work: Work, block: Readonly<Record<string, unknown>>): Work {
  if (block['type'] === 'text' && typeof block['text'] === 'string') {
    return { ...work, text: joined(work.text, block['text']), doing: 'writes' }
  }
  if (block['type'] !== 'tool_use') return work
  const doing = toolText(block)
  return { ...work, marks: [...work.marks, { at: work.text.length, text: doing }], doing }
}

/** The message in Iris's envelope, which Claude Code repeats. */
function askedIn(line: Readonly<Record<string, unknown>>): string {
  const text = blocks(line).map((block) => block['text'])
  return /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(text.join(''))?.[1] ?? ''
}

function blocks({ message }: Readonly<Record<string, unknown>>): readonly Record<string, unknown>[] {
  const content = isRecord(message) ? message['content'] : undefined
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isRecord) : []
}

/** Appends a message to a text whose end may already be the beginning of that message; the longest overlap counts. */
function joined(text: string, whole: string): string {
  let known = Math.min(text.length, whole.length)
  while (!text.endsWith(whole.slice(0, known))) known -= 1
  return text + whole.slice(known)
}

/** `Bash npm test`: the tool, and the most telling field of its input. */
function toolText({ name, input }: Readonly<Record<string, unknown>>): string {
  const fields = isRecord(input) ? input : {}
  const telling = fields['command'] ?? fields['file_path'] ?? fields['pattern'] ?? fields['toTeam']
  const first = telling ?? Object.values(fields).find((value) => typeof value === 'string')
  return typeof first === 'string' ? `${String(name)} ${first}` : String(name)
}
