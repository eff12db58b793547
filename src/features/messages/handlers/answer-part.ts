import { IrisError } from '../../../base/protocol/error.ts'
import type { AnswerPart, TurnResult } from '../../../base/protocol/turn.ts'
import type { LongPart, TurnHandle } from '../../../kernel/accept/turn-handle.ts'
import { firstBytes, type LongField } from '../../../kernel/deliver/long-answers.ts'

/** In characters. Claude Code cuts a result at 25,000 tokens, and in some scripts each character is a token. */
const maxPart = 16_000

type Result = TurnResult & { readonly everything?: string }
/** The whole text if the caller asked for it, otherwise the answer, or the answer so far. */
const textFields = ['everything', 'response', 'partialResponse'] as const

/**
 * The result with one part of its text, and no other text. `from`: the offset at which the part begins, in UTF-16 code
 * units. No part splits a surrogate pair: a part that would begin within a pair begins with the pair. The value of a
 * typed answer comes with the first part. `long`: the part of a text of which the result has only the beginning, see
 * `longPartAt`. Throws `invalid_input` for an offset beyond the end.
 */
export function withPart(result: Result, from: number, long?: LongPart): Result & { readonly part: AnswerPart } {
  const field = fieldOf(result)
  const whole = (field && result[field]) ?? ''
  const before = Math.max(0, from - 1)
  const { text, length } = long ?? { text: whole.slice(before, from + maxPart + 1), length: whole.length }
  if (from > length) {
    const what = `The text has ${length} characters, so no part begins at ${from}.`
    throw new IrisError('invalid_input', what, 'Use part.next of the previous part, or 0 for the first part.')
  }
  const begin = splitsPair(text, from - before) ? from - 1 : from
  const limit = Math.min(begin + maxPart, length)
  const end = splitsPair(text, limit - before) ? limit - 1 : limit
  const { value, response: _, partialResponse: __, everything: ___, ...rest } = result
  return {
    ...rest,
    ...(begin === 0 && value !== undefined && { value }),
    ...(field && { [field]: text.slice(begin - before, end - before) }),
    part: { from: begin, length, ...(end < length && { next: end }) },
  }
}

/**
 * For `withPart`, if the result has only the beginning of a text: the part at `from`, with one character on each side
 * that shows whether it would split a pair. Undefined if the result has the whole text.
 */
export async function longPartAt(
  result: Result,
  from: number,
  turn: Pick<TurnHandle, 'longText'>,
): Promise<LongPart | undefined> {
  const read = (name: LongField) => turn.longText(name, Math.max(0, from - 1), maxPart + 2)
  // The full text is separate only if it has more than the answer.
  const all = fieldOf(result) === 'everything' ? await read('everything') : undefined
  return all ?? read('answer')
}

/** The result of a running turn, with its text cut after `most` bytes. Calls with `from` return the rest. */
export function withinBytes<T extends Result>(result: T, most: number): T {
  const { partialResponse: text } = result
  if (text === undefined || text.length * 3 <= most || Buffer.byteLength(text) <= most) return result
  const beginning = firstBytes(text, most)
  return {
    ...result,
    partialResponse: `${beginning}\n\n[Iris: it has said more, from character ${beginning.length} on.]`,
  }
}

function fieldOf(result: Result): (typeof textFields)[number] | undefined {
  return textFields.find((name) => result[name] !== undefined)
}

function splitsPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '')
}
