import type { DatabaseSync } from 'node:sqlite'
import { divided, undivided } from './divided.ts'
import type { Snippet } from './found.ts'

/** How the index divides a text into words: case and accents do not matter. */
export const tokenizer = `"unicode61 remove_diacritics 2"`

/** Marks around what fits; nobody writes them. */
const [open, close] = ['\u{F0001}', '\u{F0002}']
const tokensShown = 24

/**
 * Finds the pieces of texts that fit. The index holds no texts, so the few that are shown are put into one that does, for
 * a moment: it divides them as the other one did, and is never large.
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

  /** Of texts by some number of theirs. */
  of(expression: string, texts: ReadonlyMap<number, string>): ReadonlyMap<number, Snippet> {
    this.#clear.run()
    for (const [place, text] of texts) this.#add.run(place, divided(text))
    const rows = this.#cut.all(expression) as { place: number; text: string }[]
    return new Map(rows.map(({ place, text }) => [place, piecesOf(undivided(text))]))
  }
}

function piecesOf(text: string): Snippet {
  return text
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
