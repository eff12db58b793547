import { blocks, type Line, textOf } from '../../base/agent/line.ts'

export interface LineView {
  readonly type: string
  readonly text?: string
}

/** A line in short, for people: its text, the tools that it uses, or the result of a tool. */
export function lineView(line: Line): LineView {
  const { type, subtype } = line
  const text = textOf(line)
  const tools = blocks(line).flatMap((block) => (block['type'] === 'tool_use' ? [String(block['name'])] : []))
  if (tools.length > 0) return { type: 'tool_use', text: [text, ...tools].filter(Boolean).join(' ') }
  const result = blocks(line).find((block) => block['type'] === 'tool_result')
  if (result) return { type: 'tool_result', ...shown(contentText(result['content'])) }
  if (type === 'result') return { type, ...shown(typeof line['result'] === 'string' ? line['result'] : '') }
  if (type === 'system') return { type: `system/${String(subtype)}` }
  return { type, ...shown(text) }
}

function contentText(content: unknown): string {
  return textOf({ type: 'user', message: { content } })
}

function shown(text: string) {
  return text === '' ? {} : { text }
}
