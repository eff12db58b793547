import { type Document, isAlias, isMap, isScalar, isSeq, type Scalar } from 'yaml'
import { parsedInTurns } from './parsed-in-turns.ts'
import type { KeyPath } from './problem.ts'

/** A scalar, and one of the paths where it is the value; aliases give it several such paths. */
export interface PlacedScalar {
  readonly path: KeyPath
  readonly node: Scalar & { readonly range: NonNullable<Scalar['range']> }
}

const deepestLevel = 12
/** A limit, because aliases multiply the text. */
const maxPlaces = 50_000

/**
 * Every scalar of a YAML text, at every path where it is the value; undefined for a text that is not a mapping or is
 * too large.
 */
export async function scalarsOf(text: string): Promise<PlacedScalar[] | undefined> {
  const document = await parsed(text)
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) return undefined
  const found: PlacedScalar[] = []
  let left = maxPlaces
  const isRead = (node: unknown, path: KeyPath): boolean => {
    if (--left < 0 || path.length > deepestLevel) return false
    if (isAlias(node)) {
      left -= 50
      const target = node.resolve(document)
      return target === undefined || isRead(target, path)
    }
    if (isSeq(node)) return node.items.every((item, index) => isRead(item, [...path, index]))
    if (isMap(node)) return node.items.every(({ key, value }) => isRead(value, [...path, nameOf(key)]))
    if (isScalar(node) && node.range) found.push({ path, node: node as PlacedScalar['node'] })
    return true
  }
  return isRead(document.contents, []) ? found : undefined
}

/** The text as plain values, with variables as written. */
export async function plainTree(text: string): Promise<unknown> {
  // The caller has already limited the aliases.
  return (await parsed(text)).toJS({ maxAliasCount: -1 })
}

function parsed(text: string): Promise<Document> {
  return parsedInTurns(text, { stringKeys: true, uniqueKeys: false, prettyErrors: false })
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key)
}
