import { blocks, isSystem, type Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { refusalIn, tryIn } from '../../base/protocol/api-refusal.ts'

/** Text about a line for a waiting caller. Undefined for lines without news. */
export function progressText(line: Line): string | undefined {
  if (isSystem(line, 'init')) return 'Claude Code has begun to work on it.'
  if (isSystem(line, 'api_retry')) return retryText(line)
  if (line.type === 'system') return taskText(line)
  if (line.type !== 'assistant') return undefined
  const tools = blocks(line).flatMap(({ type, name }) => (type === 'tool_use' ? [String(name)] : []))
  return tools.length === 0 ? undefined : `Uses ${tools.join(', ')}.`
}

/**
 * Text about the start or progress of a subagent or workflow. A command needs no such text, because its tool use has
 * already been reported.
 */
function taskText(line: Line): string | undefined {
  const what = String(line['description'] ?? line['summary'])
  if (isSystem(line, 'task_started'))
    return line['task_type'] === 'local_bash' ? undefined : `Subagent begins: ${what}.`
  if (!isSystem(line, 'task_progress')) return undefined
  const { tool_uses: tools } = isRecord(line['usage']) ? line['usage'] : {}
  return `Subagent: ${what}${typeof tools === 'number' ? ` (tools used: ${tools})` : ''}.`
}

function retryText(line: Line): string {
  const delay = typeof line['retry_delay_ms'] === 'number' ? ` in ${Math.ceil(line['retry_delay_ms'] / 1000)} s` : ''
  return `The model's API refuses (${refusalIn(line)}); ${tryIn(line)} follows${delay}.`
}
