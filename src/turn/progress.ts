import { blocks, isSystem, type Line } from '../claude/line.ts'

/** What a waiting caller is told about a line, or undefined for the many that say nothing new. */
export function progressText(line: Line): string | undefined {
  if (isSystem(line, 'init')) return 'Claude Code has begun to work on it.'
  if (isSystem(line, 'api_retry')) return retryText(line)
  if (line.type !== 'assistant') return undefined
  const tools = blocks(line).flatMap(({ type, name }) => (type === 'tool_use' ? [String(name)] : []))
  return tools.length === 0 ? undefined : `Uses ${tools.join(', ')}.`
}

function retryText(line: Line): string {
  const status = line['error_status'] ?? 'no answer'
  const delay = typeof line['retry_delay_ms'] === 'number' ? ` in ${Math.ceil(line['retry_delay_ms'] / 1000)} s` : ''
  return `The model's API refuses (${status}, ${line['error'] ?? 'unknown'}); try ${line['attempt']} of ${line['max_retries']} follows${delay}.`
}
