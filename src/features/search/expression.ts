import { divided } from './divided.ts'

/** One term of a search: quoted words in this order, or a word that may be a prefix. */
interface Term {
  readonly text: string
  readonly isPrefix: boolean
}

/** Further words are ignored, also in quotes: each costs a look-up in the index. */
const maxWords = 32

/** FTS5's unicode61 makes tokens of these characters. A term without any would match nothing. */
const tokenCharacter = /[\p{L}\p{N}\p{Co}]/u

/** A query in the syntax of FTS5. */
export interface Expression {
  /** Matches texts with all terms. */
  readonly all: string
  /** Matches texts with at least one of the terms. */
  readonly any: string
}

/**
 * Converts a person's query into an FTS5 expression. Every term must occur. A word also matches longer words that begin
 * with it; words in double quotes match exactly and in this order. There is no other syntax. Undefined for a query
 * without words.
 */
export function expressionOf(query: string): Expression | undefined {
  const terms = firstOf(termsOf(query).filter(({ text }) => tokenCharacter.test(text)))
  if (terms.length === 0) return undefined
  const each = terms.map(({ text, isPrefix }) => `"${divided(text)}"${isPrefix ? ' *' : ''}`)
  return { all: each.join(' AND '), any: each.join(' OR ') }
}

/** The terms with the first words; a quoted term may be cut. */
function firstOf(terms: readonly Term[]): Term[] {
  let left = maxWords
  return terms.flatMap((term) => {
    const words = term.text.split(/\s+/).filter(Boolean).slice(0, left)
    left -= words.length
    return words.length === 0 ? [] : [{ ...term, text: words.join(' ') }]
  })
}

/**
 * Splits at double quotes; an unclosed one quotes the rest. As a result, no term contains a quote that could end its
 * FTS5 string.
 */
function termsOf(query: string): Term[] {
  const parts = query.replaceAll('\0', ' ').split('"')
  return parts.flatMap((part, index) => {
    const isQuoted = index % 2 === 1
    return isQuoted
      ? [{ text: part, isPrefix: false }]
      : part.split(/\s+/).map((text) => ({ text, isPrefix: /[\p{L}\p{N}\p{M}\p{Co}]$/u.test(text) }))
  })
}
