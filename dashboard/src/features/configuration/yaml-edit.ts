import { type Document, isAlias, isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml'
import { numbersAsWritten } from '../../../../src/base/lib/numbers-as-written.ts'

export type Path = readonly string[]

/** The value of a key. `other`: more than one value, which the form only shows. */
export type Written = { readonly kind: 'absent' } | { readonly kind: 'scalar' | 'other'; readonly text: string }

/** Returns undefined for a text that is not YAML, or that refers to itself endlessly. */
export function parsed(text: string): Document | undefined {
  const options = { stringKeys: true, uniqueKeys: false, prettyErrors: false, customTags: numbersAsWritten } as const
  const document = parseDocument(text, options)
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) return undefined
  return said(document) === undefined ? undefined : document
}

export function writtenAt(document: Document, path: Path): Written {
  const node = document.getIn(path, true)
  if (node === undefined || (isScalar(node) && node.value === null)) return { kind: 'absent' }
  if (!isScalar(node)) return { kind: 'other', text: stringify(node).trimEnd() }
  const { value, source } = node
  return { kind: 'scalar', text: typeof value === 'string' ? value : (source ?? String(value)) }
}

/** A text as YAML: unquoted if that means the same anywhere in a document, otherwise in quotes. */
export function literalOf(text: string): string {
  const isPlain = /^[\w~/.][\w ~/.()'-]*$/.test(text) && parseDocument(text).toJS() === text && text.trim() === text
  return isPlain ? text : JSON.stringify(text)
}

/**
 * Returns the text with `literal`, the YAML of one value, at the path, or without the key if `literal` is undefined. In
 * block style, nothing else changes; in other styles, comments stay, but spaces may change. Returns the same text if
 * the change is impossible.
 */
export function withValue(text: string, path: Path, literal: string | undefined): string {
  const document = parsed(text)
  if (document === undefined) return text
  const expected = JSON.stringify(withIn(document.toJS(), path, literal))
  const candidates = [() => replaced(text, document, path, literal), () => rewritten(text, path, literal)]
  for (const candidate of candidates) {
    const next = candidate()
    const result = next === undefined ? undefined : parsed(next)
    if (next !== undefined && result && JSON.stringify(withoutEmpty(result.toJS())) === expected) return next
  }
  return text
}

function said(document: Document): unknown {
  try {
    return document.toJS() ?? {}
  } catch {
    return undefined
  }
}

function withIn(tree: unknown, [key, ...rest]: Path, literal: string | undefined): unknown {
  const copy = { ...(tree as Record<string, unknown> | null) }
  if (key === undefined) return tree
  if (rest.length > 0) copy[key] = withIn(copy[key], rest, literal)
  else if (literal === undefined) delete copy[key]
  else copy[key] = parseDocument(literal).toJS()
  return withoutEmpty(copy)
}

/** The tree without empty sections, which count as absent. */
function withoutEmpty(tree: unknown): unknown {
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) return tree
  const entries = Object.entries(tree).map(([key, value]) => [key, withoutEmpty(value)] as const)
  const isEmpty = (value: unknown): boolean =>
    value === null || (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0)
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)))
}

function replaced(text: string, document: Document, path: Path, literal: string | undefined): string | undefined {
  if (path.some((_, index) => isAlias(document.getIn(path.slice(0, index + 1), true)))) return undefined
  const node = document.getIn(path, true)
  if (literal === undefined) return withoutLines(text, document, path)
  if (isScalar(node) && node.value !== null && node.range) {
    const [start, end] = node.range
    const endsLine = node.type?.startsWith('BLOCK') && text[end - 1] === '\n'
    return text.slice(0, start) + literal + (endsLine ? '\n' : '') + text.slice(end)
  }
  return withLines(text, document, path, literal)
}

function withLines(text: string, document: Document, path: Path, literal: string): string | undefined {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const around = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
    if (!isMap(around) || around.items.length === 0 || !around.range) continue
    const [start, end] = around.range
    const rest = path.slice(depth)
    if (around.flow) return rest.length === 1 ? inBraces(text, around, `${rest[0]}: ${literal}`) : undefined
    const empty = around.items.find(({ key }) => isScalar(key) && key.value === rest[0])
    const indent = start - (text.lastIndexOf('\n', start - 1) + 1)
    if (empty) return inserted(text, endOf(empty, start), linesOf(rest.slice(1), literal, indent + 2))
    return inserted(text, end, linesOf(rest, literal, indent))
  }
  return inserted(text, text.length, linesOf(path, literal, 0))
}

function inBraces(text: string, { items }: YAMLMap, entry: string): string {
  const at = endOf(items.at(-1)!, 0)
  return `${text.slice(0, at)}, ${entry}${text.slice(at)}`
}

/** Inserts lines after the line that contains `end`. Blank lines that follow it stay after the inserted lines. */
function inserted(text: string, end: number, lines: string): string {
  const last = text.slice(0, end).trimEnd().length
  const newline = text.indexOf('\n', last)
  const at = newline < 0 ? text.length : newline + 1
  return `${text.slice(0, at)}${at > 0 && text[at - 1] !== '\n' ? '\n' : ''}${lines}${text.slice(at)}`
}

function linesOf(keys: Path, literal: string, indent: number): string {
  return keys
    .map((key, index) => `${' '.repeat(indent + 2 * index)}${key}:${index === keys.length - 1 ? ` ${literal}` : ''}\n`)
    .join('')
}

function withoutLines(text: string, document: Document, path: Path): string | undefined {
  const around = document.getIn(path.slice(0, -1), true)
  if (!isMap(around) || around.flow) return undefined
  // A mapping that becomes empty is removed too, except a section or a team, where an empty mapping has a meaning.
  const isLasting = path.length <= (path[0] === 'teams' ? 3 : 2)
  if (around.items.length === 1 && !isLasting) return withoutLines(text, document, path.slice(0, -1))
  const pair = around.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
  const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined
  if (pair === undefined || start === undefined) return undefined
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const last = text.slice(0, endOf(pair, start)).trimEnd().length
  const newline = text.indexOf('\n', last)
  return text.slice(0, lineStart) + (newline < 0 ? '' : text.slice(newline + 1))
}

function endOf({ key, value }: Pair, otherwise: number): number {
  const node = (value ?? key) as { range?: readonly number[] | null } | null
  return node?.range?.[1] ?? otherwise
}

function rewritten(text: string, path: Path, literal: string | undefined): string | undefined {
  const document = parsed(text)
  try {
    if (literal === undefined) document?.deleteIn(path)
    else document?.setIn(path, parseDocument(literal).contents)
  } catch {
    // The path leads through a value where a section would have to be.
    return undefined
  }
  return document?.toString({ lineWidth: 0 })
}
