import { toIrisError } from '../protocol/error.ts'

const badEnds = new Set(['failed', 'timed_out', 'cancelled', 'in_doubt'])

/** An operation's result as MCP says it: for programs as structure, for the rest as the same JSON in text. */
export function toReply(result: Record<string, unknown>) {
  const isError = badEnds.has(String(result['status']))
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
