import { blocks, echoedUuid, isSystem, type Line, textDelta, thinkingDelta } from '../../base/agent/line.ts'
import { toCompacted } from '../../claude/driver/compaction.ts'
import { isPrompt } from '../../claude/driver/transcript.ts'
import { progressText } from './progress.ts'

interface At {
  /** Milliseconds since the epoch; absent if unknown. */
  readonly at?: number
  /** For parts of a subagent: the tool use that started the subagent. */
  readonly within?: string
}

export interface ToolPart extends At {
  readonly kind: 'tool'
  readonly toolUseId: string
  readonly name: string
  readonly input: unknown
  /** Undefined while the tool runs, or if its process ended first. */
  result: { readonly text: string; readonly isError: boolean; readonly at: number | undefined } | undefined
}

/** One thing that happened in a turn. */
export type TurnPart =
  | (At & { readonly kind: 'text' | 'thinking'; readonly text: string; readonly isUnfinished?: true })
  | ToolPart
  | (At & { readonly kind: 'compaction'; readonly beforeTokens: number | null; readonly afterTokens: number | null })
  /** A further delivery continued the work after the process had ended. */
  | (At & { readonly kind: 'continued' })
  | (At & { readonly kind: 'note'; readonly text: string })

/**
 * Converts the lines of one turn into parts, in order. The lines are the CLI's output or its transcript. `timeOf`
 * returns when a line arrived, in milliseconds since the epoch, or undefined if that is unknown.
 */
export function turnParts(lines: readonly Line[], timeOf: (line: Line) => number | undefined): TurnPart[] {
  const parts: TurnPart[] = []
  const tools = new Map<unknown, ToolPart>()
  let deliveries = 0
  let unfinished = ''
  let thought = ''
  for (const line of lines) {
    const at = timeOf(line)
    const within = line['parent_tool_use_id']
    const facts: At = { ...(at !== undefined && { at }), ...(typeof within === 'string' && { within }) }
    unfinished += textDelta(line)
    thought += thinkingDelta(line)
    if (line.type === 'assistant') {
      if (facts.within === undefined) unfinished = thought = ''
      for (const part of saidIn(line, facts)) {
        parts.push(part)
        if (part.kind === 'tool') tools.set(part.toolUseId, part)
      }
    } else if (line.type === 'user') {
      if (echoedUuid(line) !== undefined || isPrompt(line)) {
        deliveries += 1
        if (deliveries > 1) parts.push({ ...facts, kind: 'continued' })
      }
      for (const [id, result] of resultsIn(line, at)) {
        const tool = tools.get(id)
        if (tool) tool.result = result
      }
    } else parts.push(...toldBySystem(line, facts))
  }
  if (thought !== '') parts.push({ kind: 'thinking', text: thought, isUnfinished: true })
  if (unfinished !== '') parts.push({ kind: 'text', text: unfinished, isUnfinished: true })
  return parts
}

function saidIn(line: Line, facts: At): TurnPart[] {
  return blocks(line).flatMap((block): TurnPart[] => {
    const { type, text, thinking, id, name, input } = block
    if (type === 'text' && typeof text === 'string' && text !== '') return [{ ...facts, kind: 'text', text }]
    // Some models hide their thinking and leave the block empty.
    if (type === 'thinking' && typeof thinking === 'string' && thinking !== '') {
      return [{ ...facts, kind: 'thinking', text: thinking }]
    }
    if (type !== 'tool_use') return []
    return [{ ...facts, kind: 'tool', toolUseId: String(id), name: String(name), input, result: undefined }]
  })
}

function resultsIn(line: Line, at: number | undefined): [unknown, ToolPart['result']][] {
  return blocks(line).flatMap((block): [unknown, ToolPart['result']][] => {
    if (block['type'] !== 'tool_result') return []
    return [[block['tool_use_id'], { text: resultText(block['content']), isError: block['is_error'] === true, at }]]
  })
}

/** The text of a tool's result. Blocks other than text, such as images, are represented by their type. */
function resultText(content: unknown): string {
  return blocks({ type: 'user', message: { content } })
    .map(({ type, text }) => (type === 'text' ? String(text) : `[${String(type)}]`))
    .join('\n')
}

function toldBySystem(line: Line, facts: At): TurnPart[] {
  const compacted = toCompacted(line)
  if (compacted) return [{ ...facts, kind: 'compaction', ...compacted }]
  const retry = isSystem(line, 'api_retry') ? progressText(line) : undefined
  return retry === undefined ? [] : [{ ...facts, kind: 'note', text: retry }]
}
