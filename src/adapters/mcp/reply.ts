import { toIrisError } from '../../base/protocol/error.ts'
import { contracts, type OperationName } from '../../base/protocol/operations/index.ts'
import type { Operation } from '../../base/protocol/operations/operation.ts'

const badEnds = new Set(['failed', 'timed_out', 'cancelled', 'in_doubt'])

/**
 * An operation's result as MCP says it: for programs as structure, for the rest as the same JSON in text. A message that
 * ended badly is an error of the call that wanted its answer; one that asks how it ended has been answered.
 */
export function toReply(name: OperationName, result: Record<string, unknown>) {
  const { wantsAnswer = false }: Operation = contracts[name]
  const isError = wantsAnswer && badEnds.has(String(result['status']))
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(result) }],
    structuredContent: result,
    ...(isError && { isError }),
  }
}

/** One block of text and nothing else: what Claude Code takes from a permission prompt tool. */
export function toTextReply(result: Record<string, unknown>) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(result) }] }
}

/** What is wrong, for the model to read: code, sentence, remedy, and when to try again if that is known. */
export function toErrorReply(error: unknown) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify({ error: toIrisError(error) }) }],
    isError: true,
  }
}
