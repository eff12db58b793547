import type { DatabaseSync } from 'node:sqlite'
import { withoutMarks } from '../../base/lib/plain-line.ts'
import { divided, undivided } from './divided.ts'
import type { Snippet } from './found.ts'

/** The FTS5 tokenizer of the index: ignores case and accents. */
export const tokenizer = `"unicode61 remove_diacritics 2"`

/** Longer pieces, which only a few huge words make, stay as they are. In characters. */
const longest = 4000

/** Marks around matches, from a private-use area of Unicode that people do not use. */
const [open, close] = ['\u{F0001}', '\u{F0002}']
const tokensShown = 24

/**
 * Finds the matching pieces of texts. The index stores no texts, so the few to show go into a small temporary table
 * with the same tokenizer, which makes the snippets.
 */
export class Snippets {
  readonly #clear
  readonly #add
  readonly #cut

  constructor(database: DatabaseSync) {
    database.exec(`CREATE VIRTUAL TABLE temp.shown USING fts5 (text, tokenize = ${tokenizer})`)
    this.#clear = database.prepare('DELETE FROM shown')
    this.#add = database.prepare('INSERT INTO shown (rowid, text) VALUES (?, ?)')
    this.#cut = database.prepare(
      `SELECT rowid AS place, snippet(shown, 0, '${open}', '${close}', '…', ${tokensShown}) AS text FROM shown WHERE shown MATCH ?`,
    )
  }

  /** The snippets of `texts`, by the same keys. */
  of(expression: string, texts: ReadonlyMap<number, string>): ReadonlyMap<number, Snippet> {
    this.#clear.run()
    for (const [place, text] of texts) this.#add.run(place, divided(text))
    const rows = this.#cut.all(expression) as { place: number; text: string }[]
    return new Map(rows.map(({ place, text }) => [place, piecesOf(undivided(text))]))
  }
}

/** The pieces as one line of plain text, unless a match is in what the plain text lacks: the address of a link. */
function piecesOf(text: string): Snippet {
  const plain = text.length > longest ? text : withoutMarks(text)
  return (plain.split(open).length === text.split(open).length ? plain : text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(open)
    .flatMap((part, index) => {
      if (index === 0) return [{ text: part, isMatch: false }]
      const [match = '', ...rest] = part.split(close)
      return [
        { text: match, isMatch: true },
        { text: rest.join(''), isMatch: false },
      ]
    })
    .filter((piece) => piece.text !== '')
}
