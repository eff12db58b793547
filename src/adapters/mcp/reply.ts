import { type Operation, usualAnswer } from '../../base/operation/operation.ts'
import { toIrisError } from '../../base/protocol/error.ts'
import { contracts, type OperationName } from '../../features/contracts.ts'
import { bytesOf, bytesPerToken, shortened } from './shorten.ts'

const badEnds = new Set(['failed', 'timed_out', 'cancelled', 'in_doubt'])

/**
 * An operation's result as an MCP result: as a structure for programs, and as the same JSON in a text. A message that
 * ended badly is an error for a call that wanted the message's answer, but not for a call that asks how the message
 * ended. Unless `isWhole` is true, the result is shortened to the operation's bound.
 */
export function toReply(name: OperationName, whole: Record<string, unknown>, isWhole = false) {
  const { wantsAnswer = false, answer = usualAnswer }: Operation = contracts[name]
  const isError = wantsAnswer && badEnds.has(String(whole['status']))
  const wholeText = JSON.stringify(whole)
  const fits = isWhole || bytesOf(wholeText) <= answer.tokens * bytesPerToken
  const result = fits ? whole : shortened(whole, answer)
  return {
    content: [{ type: 'text' as const, text: fits ? wholeText : JSON.stringify(result) }],
    structuredContent: result,
    ...(isError && { isError }),
  }
}

/** One block of text and nothing else: Claude Code accepts only this from a permission prompt tool. */
export function toTextReply(result: Record<string, unknown>) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(result) }] }
}

/** The error for the model to read: code, message, remedy, and when to try again, if known. */
export function toErrorReply(error: unknown) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify({ error: toIrisError(error) }) }],
    isError: true,
  }
}
