import { IrisError } from '../../base/protocol/error.ts'
import type { AnswerPart, TurnResult } from '../../base/protocol/turn.ts'

/** Characters. Claude Code cuts a result at 25,000 tokens, and in some scripts each character is a token. */
const longestPart = 16_000

type Result = TurnResult & { readonly everything?: string }
/** All that was said if that is wanted, else the answer or what there is of one. */
const textFields = ['everything', 'response', 'partialResponse'] as const

/**
 * The result with one part of its text, and no other text. `from`: the offset at which the part begins, in UTF-16 code units.
 * No part splits a surrogate pair: one that would begin within a pair begins with the pair. The value of a typed answer comes
 * with the first part. Throws `invalid_input` for an offset behind the end.
 */
export function withPart(result: Result, from: number): Result & { readonly part: AnswerPart } {
  const field = textFields.find((name) => result[name] !== undefined)
  const text = (field && result[field]) ?? ''
  if (from > text.length) {
    const what = `The text has ${text.length} characters, so no part begins at ${from}.`
    throw new IrisError('invalid_input', what, 'Use part.next of the previous part, or 0 for the first part.')
  }
  const begin = splitsPair(text, from) ? from - 1 : from
  const limit = Math.min(begin + longestPart, text.length)
  const end = splitsPair(text, limit) ? limit - 1 : limit
  const { value, response: _, partialResponse: __, everything: ___, ...rest } = result
  return {
    ...rest,
    ...(begin === 0 && value !== undefined && { value }),
    ...(field && { [field]: text.slice(begin, end) }),
    part: { from: begin, length: text.length, ...(end < text.length && { next: end }) },
  }
}

function splitsPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '')
}
