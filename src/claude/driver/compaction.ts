import { isSystem, type Line, textOf } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/**
 * The message that makes the CLI replace the conversation with a summary. The CLI accepts it only as the whole message,
 * not wrapped.
 */
export const compactCommand = '/compact'

/**
 * Tokens before and after the compaction. The second count includes only the messages, not what every call adds to
 * them.
 */
export interface Compacted {
  readonly beforeTokens: number | null
  readonly afterTokens: number | null
}

/** Reads a `compact_boundary` line, printed or in a transcript. Undefined for other lines. */
export function toCompacted(line: Line): Compacted | undefined {
  if (!isSystem(line, 'compact_boundary')) return undefined
  const { compact_metadata: printed, compactMetadata: recorded } = line
  if (isRecord(recorded))
    return { beforeTokens: tokens(recorded['preTokens']), afterTokens: tokens(recorded['postTokens']) }
  const metadata = isRecord(printed) ? printed : {}
  return { beforeTokens: tokens(metadata['pre_tokens']), afterTokens: tokens(metadata['post_tokens']) }
}

/** The error of a failed compaction, from its `status` line; the `result` says success even then. */
export function compactionError(line: Line): string | undefined {
  const error = line['compact_error']
  return isSystem(line, 'status') && typeof error === 'string' ? error : undefined
}

/**
 * The summary that replaces the conversation; its line follows the boundary. Leaves out the CLI's own text around it,
 * which makes sense only in the same conversation.
 */
export function compactionSummary(line: Line): string | undefined {
  if (line.type !== 'user' || line['isSynthetic'] !== true) return undefined
  const text = textOf(line)
  const begin = text.indexOf(summaryMark)
  const end = text.lastIndexOf('\n\nIf you need specific details from before compaction')
  return text.slice(begin < 0 ? 0 : begin + summaryMark.length, end < 0 ? undefined : end)
}

const summaryMark = '\nSummary:\n'

function tokens(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
