import { isCollection, type Pair } from 'yaml'

interface Placed {
  readonly range?: readonly number[] | null
}

/**
 * The offset at which the value of a key ends, without the comments and blank lines after it; if the key has no value,
 * the offset at which the key ends. A block's own range would include those comments and lines, so the end of its last
 * item is used.
 */
export function endOfContent({ key, value }: Pair): number | undefined {
  return endOfNode(value) ?? endOfNode(key)
}

function endOfNode(node: unknown): number | undefined {
  if (isCollection(node) && !node.flow && node.items.length > 0) {
    const last = node.items.at(-1)
    return isPair(last) ? endOfContent(last) : endOfNode(last)
  }
  return (node as Placed | null)?.range?.[1]
}

function isPair(item: unknown): item is Pair {
  return typeof item === 'object' && item !== null && 'key' in item
}

export function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

/** The offset after the line of the last character before `end`: the start of the next line, or the end of the text. */
export function endOfLine(text: string, end: number): number {
  if (text[end - 1] === '\n') return end
  const newline = text.indexOf('\n', end)
  return newline === -1 ? text.length : newline + 1
}

/** How far a key is indented. A byte order mark does not count. */
export function columnOf(text: string, { key }: Pair): number {
  const at = (key as Placed).range?.[0] ?? 0
  const lineStart = startOfLine(text, at)
  return at - lineStart - (text[lineStart] === '\ufeff' ? 1 : 0)
}

/** Whether a key begins its line, apart from blanks, and its colon follows on the same line. */
export function isOnItsLine(text: string, { key }: Pair): boolean {
  const [start, end] = (key as Placed | null)?.range ?? []
  if (start === undefined || end === undefined) return false
  return /^\ufeff? *$/.test(text.slice(startOfLine(text, start), start)) && /^[ \t]*:/.test(text.slice(end))
}

/**
 * The offset after a key, its value, and the comments below that belong to it: those that are indented more than the
 * key.
 */
export function endOfPart(text: string, pair: Pair): number {
  const column = columnOf(text, pair)
  let end = endOfLine(text, endOfContent(pair) ?? text.length)
  for (let at = end; at < text.length; ) {
    const next = endOfLine(text, at + 1)
    const line = text.slice(at, next)
    if (line.trim() !== '' && (line.search(/\S/) <= column || !line.trimStart().startsWith('#'))) break
    at = next
    if (line.trim() !== '') end = next
  }
  return end
}

/** Whether a piece of YAML without values has a comment; there, `#` has no other meaning. */
export function hasComment(text: string): boolean {
  return text.includes('#')
}
