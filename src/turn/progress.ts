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
  const said = (field: string): string => {
    const value = line[field]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown'
  }
  const delay = typeof line['retry_delay_ms'] === 'number' ? ` in ${Math.ceil(line['retry_delay_ms'] / 1000)} s` : ''
  const status = line['error_status'] === null ? 'no answer' : said('error_status')
  return `The model's API refuses (${status}, ${said('error')}); try ${said('attempt')} of ${said('max_retries')} follows${delay}.`
}
