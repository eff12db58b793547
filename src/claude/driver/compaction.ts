import { isRecord } from '../../base/lib/is-record.ts'
import { isSystem, type Line, textOf } from './line.ts'

/** The message that makes the CLI put a summary in the place of the conversation. It must stand alone, unwrapped. */
export const compactCommand = '/compact'

/** Tokens of the messages before and after; what every call carries besides them is not counted after. */
export interface Compacted {
  readonly beforeTokens: number | null
  readonly afterTokens: number | null
}

/** What a `compact_boundary` line says, printed or in a transcript, whoever asked for the compaction: Iris, or the CLI. */
export function toCompacted(line: Line): Compacted | undefined {
  if (!isSystem(line, 'compact_boundary')) return undefined
  const { compact_metadata: printed, compactMetadata: recorded } = line
  if (isRecord(recorded))
    return { beforeTokens: tokens(recorded['preTokens']), afterTokens: tokens(recorded['postTokens']) }
  const metadata = isRecord(printed) ? printed : {}
  return { beforeTokens: tokens(metadata['pre_tokens']), afterTokens: tokens(metadata['post_tokens']) }
}

/** The `result` of a failed compaction is a success like any other; this line tells. */
export function compactionError(line: Line): string | undefined {
  const error = line['compact_error']
  return isSystem(line, 'status') && typeof error === 'string' ? error : undefined
}

/**
 * The summary that stands in the place of the conversation from now on; it follows the boundary. The CLI's own words
 * around it are for a conversation that goes on, and left out.
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
