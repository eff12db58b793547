import { isRecord } from '../../../base/lib/is-record.ts'
import type { Outcome } from '../../../base/protocol/turn.ts'

/** A tool that was used, where in the text it was begun. */
interface Mark {
  readonly at: number
  readonly text: string
}

/** What a turn says and does, as far as it was told. */
export interface Work {
  readonly turnId: string
  /** When it was given to Claude, milliseconds since the epoch; undefined where that was before the monitor came. */
  readonly since: number | undefined
  /** The message; empty where the monitor came after it. */
  readonly asked: string
  readonly text: string
  readonly marks: readonly Mark[]
  /** What it does now, in a few words. */
  readonly doing: string
  /** Absent while it is being answered. */
  readonly outcome?: Outcome
}

export function begun(turnId: string): Work {
  return { turnId, since: undefined, asked: '', text: '', marks: [], doing: 'thinks' }
}

/** From `at` on its text is this; 0 says that what was there before is void. */
export function says(work: Work, at: number, text: string): Work {
  const marks = work.marks.filter((mark) => mark.at <= at)
  return { ...work, text: work.text.slice(0, at) + text, marks, doing: 'writes' }
}

/** A line of Claude Code: a message that is whole, a tool that is used, what came back of one. */
export function tells(work: Work, line: unknown): Work {
  if (!isRecord(line)) return work
  if (line['type'] === 'user') return { ...work, asked: work.asked || askedIn(line), doing: 'thinks' }
  // The tools of a subagent speak for themselves.
  if (line['type'] !== 'assistant' || typeof line['parent_tool_use_id'] === 'string') return work
  return blocks(line).reduce<Work>(tellsBlock, work)
}

function tellsBlock(work: Work, block: Readonly<Record<string, unknown>>): Work {
  if (block['type'] === 'text' && typeof block['text'] === 'string') {
    return { ...work, text: joined(work.text, block['text']), doing: 'writes' }
  }
  if (block['type'] !== 'tool_use') return work
  const doing = toolText(block)
  return { ...work, marks: [...work.marks, { at: work.text.length, text: doing }], doing }
}

/** Claude Code repeats the message that it was given, in the envelope in which Iris gives it. */
function askedIn(line: Readonly<Record<string, unknown>>): string {
  const text = blocks(line).map((block) => block['text'])
  return /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(text.join(''))?.[1] ?? ''
}

function blocks({ message }: Readonly<Record<string, unknown>>): readonly Record<string, unknown>[] {
  const content = isRecord(message) ? message['content'] : undefined
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isRecord) : []
}

/** A message of which the end of the text is a beginning, as long as that is. */
function joined(text: string, whole: string): string {
  let known = Math.min(text.length, whole.length)
  while (!text.endsWith(whole.slice(0, known))) known -= 1
  return text + whole.slice(known)
}

/** `Bash npm test`: the tool, and what of its input tells most. */
function toolText({ name, input }: Readonly<Record<string, unknown>>): string {
  const fields = isRecord(input) ? input : {}
  const telling = fields['command'] ?? fields['file_path'] ?? fields['pattern'] ?? fields['toTeam']
  const first = telling ?? Object.values(fields).find((value) => typeof value === 'string')
  return typeof first === 'string' ? `${String(name)} ${first}` : String(name)
}
