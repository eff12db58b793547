import { terminalSafe } from '../../base/lib/visible.ts'

const segmenter = new Intl.Segmenter()
const ascii = /^[\x20-\x7e]*$/
/** Characters that take two columns: emoji and East Asian scripts. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2329\u232a\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}]/u
/** Characters that take no column when they appear alone. */
const none = /^(?!\u00ad)[\p{Cf}\p{Mn}\p{Me}]+$/u

/** The columns that the text takes on a terminal. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : none.test(segment) ? 0 : 1
  return width
}

/** The text with blanks up to `width` columns. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** The beginning of a text that fits into `width` columns; it ends with `…` where the text continues. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let [shown, columns] = ['', 0]
  for (const { segment } of segmenter.segment(text)) {
    columns += widthOf(segment)
    if (columns > width - 1) break
    shown += segment
  }
  return width < 1 ? '' : `${shown}…`
}

/** The end of a text that fits into `width` columns. */
export function endOf(text: string, width: number): string {
  let [shown, columns] = ['', 0]
  for (const { segment } of [...segmenter.segment(text)].toReversed()) {
    columns += widthOf(segment)
    if (columns > width) break
    shown = segment + shown
  }
  return shown
}

/** An agent's text, safe for terminals, as rows of at most `width` columns, broken at blanks where possible. */
export function wrapped(text: string, width: number): readonly string[] {
  return terminalSafe(text)
    .replaceAll('\t', '    ')
    .split('\n')
    .flatMap((line) => (line.length <= width && widthOf(line) <= width ? [line] : broken(line, width)))
}

/**
 * Breaks lines at blanks instead of within a word, and keeps their indentation. Rows are padded with blanks to the
 * edge, where the terminal wraps them, so that a copied command is still one line.
 */
export function filled(text: string, width: number): string {
  const isFit = (line: string): boolean => line.length <= width && widthOf(line) <= width
  return text
    .split('\n')
    .map((line) => (isFit(line) ? line : filledLine(line, width)))
    .join('\n')
}

function filledLine(line: string, width: number): string {
  const indent = ' '.repeat(Math.min(line.length - line.trimStart().length, Math.floor(width / 2)))
  let [shown, column] = [indent, indent.length]
  for (const word of line.trimStart().match(/ +|[^ ]+/g) ?? []) {
    const more = widthOf(word)
    // At least one blank separates the last word of a row from the first word of the next. A word longer than a row is
    // not broken.
    const isOver = column + more >= width && (word.startsWith(' ') || more < width - indent.length)
    if (isOver) [shown, column] = [shown + ' '.repeat(width - column) + indent, indent.length]
    if (isOver && word.startsWith(' ')) continue
    shown += word
    column = (column + more) % width
  }
  return shown
}

function broken(line: string, width: number): readonly string[] {
  const rows: string[] = []
  let row = ''
  let columns = 0
  for (const word of line.match(/ +|[^ ]+/g) ?? []) {
    const more = widthOf(word)
    if (columns + more <= width) {
      row += word
      columns += more
      continue
    }
    if (row.trim() !== '') rows.push(row.trimEnd())
    // Blanks at the end of a row are dropped.
    const parts = word.startsWith(' ') ? [''] : cut(word, width)
    row = parts.at(-1)!
    columns = widthOf(row)
    rows.push(...parts.slice(0, -1))
  }
  return [...rows, row]
}

/** Splits a text between characters into rows of at most `width` columns; each row has at least one character. */
export function cut(word: string, width: number): readonly string[] {
  if (ascii.test(word)) return word.match(new RegExp(`.{1,${Math.max(1, width)}}`, 'g')) ?? ['']
  const parts = ['']
  let columns = 0
  for (const { segment } of segmenter.segment(word)) {
    const more = widthOf(segment)
    if (columns + more > width && columns > 0) {
      parts.push('')
      columns = 0
    }
    parts[parts.length - 1] += segment
    columns += more
  }
  return parts
}
