import { type Document, isAlias, isCollection, isMap, isScalar, isSeq, type Pair, stringify, type YAMLMap } from 'yaml'
import { parsedConfig } from './parsed-config.ts'
import { difference, nameOf, treeOf } from './yaml-difference.ts'
import { columnOf, endOfContent, endOfLine, endOfPart, hasComment, isOnItsLine, startOfLine } from './yaml-places.ts'

type Path = readonly string[]

/** Prevents an endless loop: no configuration change needs this many edits. */
const maxEdits = 1000

/**
 * The text of config.yaml, edited only where it differs from `wanted`, a document without aliases: comments, spaces,
 * line ends and anchors stay. Undefined if that is impossible, for example with keys after a question mark. Makes one
 * edit for the first difference, then reads the text again, until there is none.
 */
export function editInPlace(text: string, wanted: Document): string | undefined {
  const goal = treeOf(wanted)
  let current = text
  for (let edits = 0; edits < maxEdits; edits += 1) {
    const document = parsedConfig(current)
    if (document.errors.length > 0) return undefined
    const path = difference(treeOf(document), goal)
    if (path === undefined) return current
    const next = new Edit(current, document, wanted).at(path)
    if (next === undefined || next === current) return undefined
    current = next
  }
  return undefined
}

/** One edit of a text. Methods that edit return the new text, or undefined if they cannot make the edit. */
class Edit {
  readonly #text: string
  readonly #document: Document
  readonly #wanted: Document
  readonly #eol: string

  constructor(text: string, document: Document, wanted: Document) {
    this.#text = text
    this.#document = document
    this.#wanted = wanted
    this.#eol = text.includes('\r\n') ? '\r\n' : '\n'
  }

  /** Removes the difference at this path. */
  at(path: Path): string | undefined {
    let node: unknown = this.#document.contents
    if (node === null) return this.#append(path)
    for (const [depth, key] of path.entries()) {
      if (isAlias(node)) return this.#splice(node, this.#literal(path.slice(0, depth)))
      if (!isMap(node)) return undefined
      const pair = node.items.find((item) => nameOf(item.key) === key)
      const way = path.slice(0, depth + 1)
      // The difference may be deeper inside this value, but empty braces are removed first: see `#replace`.
      if (pair && isEmptyMap(pair.value) && !node.flow && this.#wanted.hasIn(way)) return this.#replace(node, pair, way)
      if (depth < path.length - 1) node = pair?.value
      else if (pair === undefined) return this.#add(node, path)
      else return this.#wanted.hasIn(path) ? this.#replace(node, pair, path) : this.#remove(node, pair, path)
    }
    return undefined
  }

  #wantedAt(path: Path): unknown {
    const node = this.#wanted.getIn(path, true)
    return isScalar(node) ? node.value : (node as { toJS(document: Document): unknown }).toJS(this.#wanted)
  }

  /** The wanted value on one line. */
  #literal(path: Path, isInFlow = false): string {
    const node = this.#wanted.getIn(path, true)
    if (isScalar(node) && typeof node.value !== 'string' && node.source !== undefined) return node.source
    const value = this.#wantedAt(path)
    const written = stringify(value, { lineWidth: 0, collectionStyle: 'flow' }).trimEnd()
    const isPlain = !written.includes('\n') && !(isInFlow && typeof value === 'string' && /[,[\]{}]/.test(written))
    return isPlain ? written : JSON.stringify(value)
  }

  /** The value as the lines of a block, with this indentation. */
  #lines(value: unknown, indent: number): string {
    const written = stringify(value, { lineWidth: 0 }).trimEnd().split('\n')
    return written.map((line) => `${line === '' ? '' : ' '.repeat(indent)}${line}${this.#eol}`).join('')
  }

  /** Adds the first section to a text that has none. */
  #append(path: Path): string | undefined {
    // Text after the end of a document would begin a second document.
    if (/^(?:---|\.\.\.|%)/m.test(this.#text)) return undefined
    const [key = ''] = path
    const lines = this.#lines({ [key]: this.#wantedAt([key]) }, 0)
    const text = this.#ended(this.#text)
    return text.trim() === '' ? text + lines : `${text}${this.#eol}${lines}`
  }

  /** Adds a line break if the last line has none. */
  #ended(text: string): string {
    return text === '' || text === '\ufeff' || text.endsWith('\n') ? text : text + this.#eol
  }

  #insert(at: number, lines: string): string {
    return this.#ended(this.#text.slice(0, at)) + lines + this.#text.slice(at)
  }

  #cut(from: number, to: number, instead = ''): string {
    return this.#text.slice(0, from) + instead + this.#text.slice(to)
  }

  /** Replaces the node with the literal. */
  #splice(node: unknown, literal: string): string | undefined {
    const { range, type } = node as { range?: readonly number[] | null; type?: string }
    const [from, to] = range ?? []
    if (from === undefined || to === undefined) return undefined
    const endsLine = type?.startsWith('BLOCK') === true && this.#text[to - 1] === '\n'
    return this.#cut(from, to, endsLine ? literal + this.#eol : literal)
  }

  #add(map: YAMLMap, path: Path): string | undefined {
    const [key, last] = [path.at(-1)!, map.items.at(-1)]
    if (map.flow) {
      const entry = `${stringify(key).trimEnd()}: ${this.#literal(path, true)}`
      if (last === undefined) return this.#splice(map, `{ ${entry} }`)
      const end = endOfContent(last)
      return end === undefined ? undefined : this.#cut(end, end, `, ${entry}`)
    }
    if (last === undefined || !isOnItsLine(this.#text, last)) return undefined
    const lines = this.#lines({ [key]: this.#wantedAt(path) }, columnOf(this.#text, last))
    return this.#insert(endOfPart(this.#text, last), lines)
  }

  #replace(map: YAMLMap, pair: Pair, path: Path): string | undefined {
    const { value } = pair
    const isEmpty = isScalar(value) && value.value === null && (value.source ?? '') === ''
    const wanted = this.#wanted.getIn(path, true)
    const isFilled = isCollection(wanted) && wanted.items.length > 0
    if (isEmpty && isFilled && !map.flow && isOnItsLine(this.#text, pair))
      return this.#insert(
        endOfPart(this.#text, pair),
        this.#lines(this.#wantedAt(path), columnOf(this.#text, pair) + 2),
      )
    // Only removes the empty braces: the next edit writes the content on separate lines, as for a key without a value.
    if (isEmptyMap(value) && isFilled && !map.flow && value.range) return this.#cut(value.range[0] - 1, value.range[1])
    if (isEmpty) return undefined
    if (!isCollection(value) || value.flow) return this.#splice(value, this.#literal(path, map.flow === true))
    return this.#replaceBlock(pair, value, path, isFilled)
  }

  /** Replaces the items of a block. The comments before the first item and after the last one stay. */
  #replaceBlock(pair: Pair, value: { items: unknown[] }, path: Path, isFilled: boolean): string | undefined {
    const place = this.#blockOf(pair, value)
    if (place === undefined) return undefined
    const wanted = this.#wantedAt(path)
    if (isFilled) {
      const areLists = isSeq(value) && Array.isArray(wanted)
      return areLists ? this.#cut(place.from, place.to, this.#lines(wanted, place.indent)) : undefined
    }
    const text = this.#cut(place.from, place.to)
    return `${text.slice(0, place.afterColon)} ${this.#literal(path)}${text.slice(place.afterColon)}`
  }

  /** Where the lines of a block begin and end, its indentation, and the place after the colon of its key. */
  #blockOf(pair: Pair, { items: [first] }: { items: unknown[] }) {
    const start = first as { key?: { range?: readonly number[] }; range?: readonly number[] } | undefined
    const [at] = start?.key?.range ?? start?.range ?? []
    const keyEnd = (pair.key as { range?: readonly number[] }).range?.[1]
    const end = endOfContent(pair)
    if (at === undefined || keyEnd === undefined || end === undefined) return undefined
    const from = startOfLine(this.#text, at)
    const before = this.#text.slice(from, at)
    const colon = /^[ \t]*:/.exec(this.#text.slice(keyEnd))
    if (!/^ *(?:- *)?$/.test(before) || from < keyEnd || colon === null) return undefined
    const indent = before.search(/-|$/)
    return { from, to: endOfLine(this.#text, end), indent, afterColon: keyEnd + colon[0].length }
  }

  #remove(map: YAMLMap, pair: Pair, path: Path): string | undefined {
    if (map.flow) return this.#removeInFlow(map, pair)
    if (!isOnItsLine(this.#text, pair)) return undefined
    const [from, to] = [
      startOfLine(this.#text, (pair.key as { range: number[] }).range[0]!),
      endOfPart(this.#text, pair),
    ]
    if (path.length === 1 && isCollection(pair.value) && !pair.value.flow) {
      // A section that has comments is kept, but without items.
      const block = this.#blockOf(pair, pair.value)
      if (block === undefined) return undefined
      if (hasComment(this.#text.slice(block.afterColon, block.from) + this.#text.slice(block.to, to)))
        return this.#cut(block.from, block.to)
    }
    return this.#cut(from, to)
  }

  #removeInFlow(map: YAMLMap, pair: Pair): string | undefined {
    const index = map.items.indexOf(pair)
    const previous = map.items[index - 1]
    const next = map.items[index + 1]
    const startOf = ({ key }: Pair): number | undefined => (key as { range?: readonly number[] }).range?.[0]
    const from = previous ? endOfContent(previous) : startOf(pair)
    const to = !previous && next ? startOf(next) : endOfContent(pair)
    if (from === undefined || to === undefined || hasComment(this.#text.slice(from, to))) return undefined
    return this.#cut(from, to)
  }
}

/** Whether the value is `{}`: a mapping in block style has at least one item. */
function isEmptyMap(value: unknown): value is YAMLMap {
  return isMap(value) && value.items.length === 0
}
