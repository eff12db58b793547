import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import type { ProjectReader } from './project-reader.ts'

const name = '.iris/context.yaml'
const maxBytes = 32_768
const deepestLevel = 12
/**
 * Also limits how far aliases can multiply values. An alias counts as several values, because it is looked up in the
 * whole file.
 */
const maxValues = 10_000
const aliasCost = 50

/** The variables that a project gives its templates; undefined if there are no usable ones. */
export async function readContextFile(reader: ProjectReader): Promise<Record<string, unknown> | undefined> {
  const text = await reader.text(name, { mostBytes: maxBytes })
  if (text === undefined) return undefined
  const document = parseDocument(text, { stringKeys: true, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' })
  const [mistake] = document.errors
  if (mistake) {
    reader.refuse(name, `line ${text.slice(0, mistake.pos[0]).split('\n').length}: this is not YAML`)
    return undefined
  }
  if (document.contents === null) return undefined
  try {
    if (isMap(document.contents)) return new Values(document).of(document.contents, 0) as Record<string, unknown>
    reader.refuse(name, 'it is not a mapping from names to values')
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    reader.refuse(name, `it is too large, or nested deeper than ${deepestLevel} levels`)
  }
  return undefined
}

class TooLarge extends Error {}

/**
 * Turns YAML into plain values, with a copy for each alias, so no value contains itself. Limits are checked before a
 * value is made.
 */
class Values {
  readonly #document: Document
  #left = maxValues

  constructor(document: Document) {
    this.#document = document
  }

  of(node: unknown, level: number): unknown {
    this.#left -= isAlias(node) ? aliasCost : 1
    if (this.#left < 0 || level > deepestLevel) throw new TooLarge()
    if (isAlias(node)) return this.of(node.resolve(this.#document), level + 1)
    if (isSeq(node)) return node.items.map((item) => this.of(item, level + 1))
    if (isMap(node))
      return Object.fromEntries(node.items.map(({ key, value }) => [keyOf(key), this.of(value, level + 1)]))
    return isScalar(node) ? node.value : null
  }
}

function keyOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : ''
}
