import { blocks, isSystem, type Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { WaitsFor } from '../../base/protocol/waits-for.ts'

/** Text about a line for a waiting caller; undefined for lines without news. */
export function progressText(line: Line): string | undefined {
  if (isSystem(line, 'init')) return 'Claude Code has begun to work on it.'
  if (isSystem(line, 'api_retry')) return retryText(line)
  if (line.type === 'system') return taskText(line)
  if (line.type !== 'assistant') return undefined
  const tools = blocks(line).flatMap(({ type, name }) => (type === 'tool_use' ? [String(name)] : []))
  return tools.length === 0 ? undefined : `Uses ${tools.join(', ')}.`
}

/** Text about the start or progress of a subagent or workflow. A command is already known from its tool use. */
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

/** What Claude Code says of a request that the model's API refused, and that it makes again for minutes. */
export function apiRefusal(line: Line): Pick<WaitsFor, 'what' | 'remedy'> {
  const status = line['error_status']
  const isOfLogin = status === 401 || status === 403
  return {
    what: `The model's API refuses (${refusalIn(line)}); Claude Code tries again, ${tryIn(line)}`,
    remedy: isOfLogin
      ? 'check the login: run claude in its project, then /login'
      : 'wait; Claude Code retries automatically',
  }
}

function refusalIn(line: Line): string {
  return `${line['error_status'] === null ? 'no answer' : said(line['error_status'])}, ${said(line['error'])}`
}

function tryIn(line: Line): string {
  return `try ${said(line['attempt'])} of ${said(line['max_retries'])}`
}

function said(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown'
}
