import { TemplateError } from './template-error.ts'

/** Text between tags, or the content of a tag, without its braces. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tag'; readonly tag: string; readonly line: number }

interface Tag {
  /** The content between the braces, including a `~` at either end. */
  readonly inside: string
  readonly line: number
}

/**
 * Blocks, `else`, partials and comments print nothing themselves, so a line that contains only one of these tags is
 * removed.
 */
const silentTag = /^~?\s*(?:[#/>!]|else\b)/

/** Splits a template, in time linear in its length. Removes blanks around tags as Handlebars does. */
export function tokensOf(source: string): readonly Token[] {
  const { texts, tags } = split(source)
  const alone = tags.map(
    ({ inside }, index) =>
      silentTag.test(inside) &&
      lineStart(texts[index]!, index === 0) !== undefined &&
      lineEnd(texts[index + 1]!, index + 1 === tags.length) !== undefined,
  )
  return texts.flatMap((text, index) => {
    const from = alone[index - 1] ? lineEnd(text, index === tags.length)! : 0
    const to = alone[index] ? lineStart(text, index === 0)! : text.length
    const left = text.slice(from, Math.max(from, to))
    const started = tags[index - 1]?.inside.endsWith('~') ? left.trimStart() : left
    const kept = tags[index]?.inside.startsWith('~') ? started.trimEnd() : started
    return [...textToken(kept), ...tagToken(tags[index])]
  })
}

/** The texts before, between and after the tags. There is one more text than there are tags. */
function split(source: string): { readonly texts: readonly string[]; readonly tags: readonly Tag[] } {
  const texts: string[] = []
  const tags: Tag[] = []
  let from = 0
  let line = 1
  for (let open = nextOpening(source, 0); open !== -1; open = nextOpening(source, from)) {
    line += newlines(source, from, open)
    const [opening, closing] = bracesAt(source, open)
    const end = source.indexOf(closing, open + opening.length)
    if (end === -1) throw new TemplateError(`line ${line}: ${opening} has no ${closing}`)
    texts.push(source.slice(from, open))
    tags.push({ inside: source.slice(open + opening.length, end), line })
    from = end + closing.length
    line += newlines(source, open, from)
  }
  return { texts: [...texts, source.slice(from)], tags }
}

/** A backslash before the braces makes them text. */
function nextOpening(source: string, from: number): number {
  let open = source.indexOf('{{', from)
  while (open > from && source[open - 1] === '\\') open = source.indexOf('{{', open + 2)
  return open
}

function bracesAt(source: string, open: number): readonly [opening: string, closing: string] {
  if (source.startsWith('{{!--', open)) return ['{{', '--}}']
  return source.startsWith('{{{', open) ? ['{{{', '}}}'] : ['{{', '}}']
}

function newlines(source: string, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at++) if (source[at] === '\n') count++
  return count
}

/**
 * Where the last line of `text` begins, if it is blank up to the end of `text`. If `text` has no newline, it must be
 * the template's first text.
 */
function lineStart(text: string, isFirst: boolean): number | undefined {
  let at = text.length
  while (at > 0 && isBlank(text[at - 1])) at--
  return text[at - 1] === '\n' || (at === 0 && isFirst) ? at : undefined
}

/** The position after the first line of `text` and its newline, if that line is blank. */
function lineEnd(text: string, isLast: boolean): number | undefined {
  let at = 0
  while (at < text.length && (isBlank(text[at]) || text[at] === '\r')) at++
  if (text[at] === '\n') return at + 1
  return at === text.length && isLast ? at : undefined
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function textToken(text: string): Token[] {
  return text === '' ? [] : [{ kind: 'text', text: text.replaceAll('\\{{', '{{') }]
}

function tagToken(tag: Tag | undefined): Token[] {
  if (tag === undefined) return []
  const inside = tag.inside.replace(/^~/, '').replace(/~$/, '').trim()
  return inside.startsWith('!') ? [] : [{ kind: 'tag', tag: inside, line: tag.line }]
}
