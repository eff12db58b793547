/** How many characters are read for one line: enough for any list, but limited, because answers can be long. */
const maxRead = 4000

/** A text by an agent or a person as one line for lists: plain text, cut after `longest` characters. */
export function plainLine(markdown: string, longest = 300): string {
  return cutLine(withoutMarks(markdown.slice(0, maxRead)), longest)
}

/** A text as one line of at most `longest` characters. */
export function cutLine(text: string, longest: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > longest ? `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line
}

/** Joins lines with spaces; a one-line text is unchanged. */
export function joinedLines(text: string): string {
  if (!text.includes('\n')) return text
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** The fence of a code block, a horizontal rule, or the line below the head of a table. */
const emptyLine = /^[ \t]*(?:`{3,}|~{3,})[^`\n]*$|^(?=[^\n]*---)[ \t|:-]+$/gm
const lineStart = /^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+)?/gm
const bullet = /^[*+-][ \t]+(?:\[[ xX]\][ \t]+)?/gm
const codeSpan = /(`{1,3})(?!`)([^`\n]{1,500})\1(?!`)/
const marks: readonly (readonly [mark: RegExp, text: string])[] = [
  [/!?\[([^[\]\n]{1,500})\]\([^()\s]{0,1000}\)/g, '$1'],
  [/(\*\*\*?|~~)(?=[^\s*/])([^*\n]{1,500})(?<=[^\s*/])\1/g, '$2'],
  [/(?<![\p{L}\p{N}*/])\*(?=[^\s*/])([^*\n]{1,500})(?<=[^\s*/])\*(?![\p{L}\p{N}*/])/gu, '$1'],
  [/(?<![\p{L}\p{N}_/.])(__?)(?=[^\s_])([^_\n]{1,500})(?<=[^\s_])\1(?![\p{L}\p{N}_(]|\.\p{L})/gu, '$2'],
  // An emphasis or code mark whose other half is outside the text.
  [/(?<![\p{L}\p{N}*/])\*\*(?=[^\s*/])|(?<=[^\s*/])\*\*(?![\p{L}\p{N}*/])|`/gu, ''],
]

/**
 * The text without Markdown's marks for headings, emphasis, code and links; list bullets become `•`. It searches for
 * marks instead of parsing, because a piece of text may begin or end inside one. Code spans are unchanged.
 */
export function withoutMarks(markdown: string): string {
  const lines = markdown.replaceAll(emptyLine, '').replaceAll(lineStart, '').replaceAll(bullet, '• ')
  // `split` puts the marks and the content of each code span between two pieces of text.
  const pieces = lines.replace(/^[\s•]+/, '').split(codeSpan)
  return pieces.map((piece, index) => [withoutEmphasis, () => '', String][index % 3]!(piece)).join('')
}

function withoutEmphasis(text: string): string {
  return marks.reduce((left, [mark, plain]) => left.replaceAll(mark, plain), text)
}
