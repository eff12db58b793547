import type { DatabaseSync } from 'node:sqlite'
import { withoutMarks } from '../../base/lib/plain-line.ts'
import { divided, undivided } from './divided.ts'
import type { Expression } from './expression.ts'
import type { Snippet } from './search-result.ts'

/** The FTS5 tokenizer of the index: ignores case and accents. */
export const tokenizer = `"unicode61 remove_diacritics 2"`

/** Pieces that are longer than this, in characters, stay as they are. Only a few huge words make such pieces. */
const longest = 4000

/** Marks around matches, from a private-use area of Unicode that people do not use. */
const [open, close] = ['\u{F0001}', '\u{F0002}']
const tokensShown = 24

/**
 * Characters of a text that are searched together. FTS5's time grows with the square of the matches in the text from
 * which it cuts a snippet, and a long text may be one word, repeated.
 */
const windowLength = 1000
/** Windows overlap by this much, so that a phrase across the end of one window is whole in the next. */
const overlap = 200
/** Windows of one text that are searched in one step: most matches are near the beginning. */
const windowsAtOnce = 64
/** After this time, the other texts of a page are shown with their beginnings. */
const maxMs = 2000

/** The text from which a snippet is cut. */
interface Window {
  readonly text: string
  readonly isFirst: boolean
  readonly isLast: boolean
}

/**
 * Finds the matching pieces of texts. The index stores no texts, so the few to show go into a small temporary table
 * with the same tokenizer, which makes the snippets.
 */
export class Snippets {
  readonly #clear
  readonly #add
  readonly #first
  readonly #cut
  readonly #now: () => number

  constructor(database: DatabaseSync, now = () => performance.now()) {
    this.#now = now
    database.exec(`CREATE VIRTUAL TABLE temp.shown USING fts5 (text, tokenize = ${tokenizer})`)
    this.#clear = database.prepare('DELETE FROM shown')
    this.#add = database.prepare('INSERT INTO shown (rowid, text) VALUES (?, ?)')
    this.#first = database.prepare('SELECT rowid AS place FROM shown WHERE shown MATCH ? ORDER BY rowid LIMIT 1')
    this.#cut = database.prepare(
      `SELECT snippet(shown, 0, '${open}', '${close}', '…', ${tokensShown}) AS text FROM shown WHERE shown MATCH ? AND rowid = ?`,
    )
  }

  /** The snippets of `texts`, by the same keys. */
  of(expression: Expression, texts: ReadonlyMap<number, string>): ReadonlyMap<number, Snippet> {
    const late = this.#now() + maxMs
    return new Map(
      [...texts].map(([place, text]) => [
        place,
        this.#now() > late ? beginning(text) : this.#snippet(expression, text),
      ]),
    )
  }

  /** A piece with all terms is preferred to an earlier one of the same step. */
  #snippet({ all, any }: Expression, text: string): Snippet {
    for (const windows of steps(text)) {
      this.#clear.run()
      for (const [place, window] of windows.entries()) this.#add.run(place, divided(window.text))
      const found = this.#first.get(all) ?? this.#first.get(any)
      if (found === undefined) continue
      const { isFirst, isLast } = windows[Number(found['place'])]!
      // FTS5 ignores a bound on the rowid that is no integer, and Node binds numbers as fractions.
      const cut = undivided(String(this.#cut.get(any, BigInt(Number(found['place'])))!['text']))
      const before = isFirst || cut.startsWith('…') ? '' : '…'
      return piecesOf(`${before}${cut}${isLast || cut.endsWith('…') ? '' : '…'}`)
    }
    return beginning(text)
  }
}

function* steps(text: string): Generator<readonly Window[]> {
  let step: Window[] = []
  for (let start = 0, end = 0; end < text.length; start = wordEnd(text, end - overlap)) {
    end = wordEnd(text, start + windowLength)
    step.push({ text: text.slice(start, end), isFirst: start === 0, isLast: end === text.length })
    if (step.length < windowsAtOnce) continue
    yield step
    step = []
  }
  yield step
}

/** The end of the word at this place, if it is near. */
function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length
  const blank = text.slice(at, at + overlap).search(/\s/)
  const end = at + Math.max(blank, 0)
  // Never cuts between the two halves of one character.
  return /[\uDC00-\uDFFF]/.test(text.charAt(end)) ? end + 1 : end
}

function beginning(text: string): Snippet {
  const end = wordEnd(text, windowLength / 4)
  return piecesOf(`${text.slice(0, end)}${end < text.length ? '…' : ''}`)
}

/**
 * The pieces as one line of plain text, unless a match is in a part that the plain text lacks: the address of a link.
 */
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
