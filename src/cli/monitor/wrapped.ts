import { terminalSafe } from '../../lib/visible.ts'

const segmenter = new Intl.Segmenter()
const ascii = /^[\x20-\x7e]*$/
/** What takes two columns: emoji, and the scripts of East Asia. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u

/** How many columns of a terminal it takes. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}

/** Text of agents as rows of at most `width` columns, broken at blanks where there are any. */
export function wrapped(text: string, width: number): readonly string[] {
  return terminalSafe(text)
    .replaceAll('\t', '    ')
    .split('\n')
    .flatMap((line) => (widthOf(line) <= width ? [line] : broken(line, width)))
}

function broken(line: string, width: number): readonly string[] {
  const rows: string[] = []
  let row = ''
  let columns = 0
  /** Where in the row its last blank ends. */
  let blank = 0
  for (const unit of ascii.test(line) ? line : [...segmenter.segment(line)].map(({ segment }) => segment)) {
    const more = widthOf(unit)
    if (columns + more > width && row !== '') {
      const end = blank > 0 ? blank : row.length
      rows.push(row.slice(0, end).trimEnd())
      row = row.slice(end)
      columns = widthOf(row)
      blank = 0
    }
    row += unit
    columns += more
    if (unit === ' ') blank = row.length
  }
  return [...rows, row]
}
