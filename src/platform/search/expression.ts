import { divided } from './divided.ts'

/** One thing to look for: words in this order, or, outside quotes, a word that may go on. */
interface Term {
  readonly text: string
  readonly isPrefix: boolean
}

/** More are left out: each costs a look into the index. */
const mostTerms = 32

/** The tokens of FTS5's unicode61 are made of these; a term without any would match nothing. */
const tokenCharacter = /[\p{L}\p{N}\p{Co}]/u

/**
 * What a person typed as an FTS5 expression: every word must occur, a word stands for all that begin with it, what is in
 * double quotes for exactly these words in this order. Nothing else has a meaning. Undefined when there is no word in it.
 */
export function expressionOf(query: string): string | undefined {
  const terms = termsOf(query)
    .filter(({ text }) => tokenCharacter.test(text))
    .slice(0, mostTerms)
  if (terms.length === 0) return undefined
  return terms.map(({ text, isPrefix }) => `"${divided(text)}"${isPrefix ? ' *' : ''}`).join(' AND ')
}

/** Quotes split the text; a last one that is never closed quotes the rest. No term can hold one, so that none ends early. */
function termsOf(query: string): Term[] {
  const parts = query.replaceAll('\0', ' ').split('"')
  return parts.flatMap((part, index) => {
    const isQuoted = index % 2 === 1
    return isQuoted
      ? [{ text: part, isPrefix: false }]
      : part.split(/\s+/).map((text) => ({ text, isPrefix: /[\p{L}\p{N}\p{M}\p{Co}]$/u.test(text) }))
  })
}
