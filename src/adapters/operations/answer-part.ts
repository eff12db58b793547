import { IrisError } from '../../base/protocol/error.ts'
import type { AnswerPart, TurnResult } from '../../base/protocol/turn.ts'

/** Characters. Claude Code cuts a result at 25,000 tokens, and in some scripts each character is a token. */
const longestPart = 16_000

const texts = ['everything', 'response', 'partialResponse'] as const

/**
 * The result with one part of its text: of all that was said where that was asked for, else of the answer or of what there is
 * of one. `from`: the offset at which the part
 * begins, in UTF-16 code units. No part splits a surrogate pair: one that would begin within a pair begins with the pair. The
 * value of a typed answer comes with the first part. Throws `invalid_input` for an offset behind the end.
 */
export function withPart<Result extends TurnResult & { readonly everything?: string }>(
  result: Result,
  from: number,
): Result & { readonly part: AnswerPart } {
  const name = texts.find((each) => result[each] !== undefined)
  const text = (name && result[name]) ?? ''
  if (from > text.length) {
    const what = `The text has ${text.length} characters, so no part begins at ${from}.`
    throw new IrisError('invalid_input', what, 'Use the next of the part before, or 0 for the first part.')
  }
  const begin = splitsPair(text, from) ? from - 1 : from
  const limit = Math.min(begin + longestPart, text.length)
  const end = splitsPair(text, limit) ? limit - 1 : limit
  const { value, everything, response, partialResponse, ...rest } = result
  return {
    ...(rest as unknown as Result),
    ...(begin === 0 && value !== undefined && { value }),
    ...(name && { [name]: text.slice(begin, end) }),
    part: { from: begin, length: text.length, ...(end < text.length && { next: end }) },
  }
}

function splitsPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '')
}
