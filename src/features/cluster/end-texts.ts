import type { LongPart, TurnHandle } from '../../kernel/accept/turn-handle.ts'
import { firstBytes, type LongField } from '../../kernel/deliver/long-answers.ts'
import { maxOfText } from './bounds.ts'
import type { EndLetter } from './letters.ts'

/**
 * The end of a turn with its complete texts, because a status contains only their beginnings. A text that is too long
 * for any letter is cut. `self`: the host that has the complete text.
 */
export async function wholeEnd(end: EndLetter, turn: Pick<TurnHandle, 'longText'>, self: string): Promise<EndLetter> {
  const read = async (field: LongField, text: string | null): Promise<string | null> => {
    const long = text === null ? undefined : await turn.longText(field, 0, maxOfText)
    if (long === undefined) return text
    return long.length <= maxOfText ? long.text : beginningOf(long, Buffer.byteLength(text!), self)
  }
  const answer = await read('answer', end.answer)
  const partial = await read(answer === null ? 'answer' : 'everything', end.partial)
  return { ...end, answer, partial }
}

const minText = 1000

/**
 * Versions of an end with less and less text, for servers that do not carry all of it. `self`: the host that has the
 * complete text.
 */
export function* shorterEnds(end: EndLetter, self: string): Generator<EndLetter> {
  const text = end.answer ?? end.partial ?? ''
  for (let most = Math.floor((Buffer.byteLength(text) * 3) / 4); most >= minText; most = Math.floor(most / 2)) {
    const cut = beginningOf({ text, length: text.length }, most, self)
    yield { ...end, ...(end.answer === null ? { partial: cut } : { answer: cut, partial: null }) }
  }
}

function beginningOf({ text, length }: LongPart, most: number, self: string): string {
  const why = `this is the beginning of a text of ${length} characters, because the servers between the hosts carry no more`
  return `${firstBytes(text, most)}\n\n[Iris: ${why}. Iris at ${self} has all of it: ask the team for the rest in parts.]`
}
