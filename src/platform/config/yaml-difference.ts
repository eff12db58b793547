import { type Document, isAlias, isMap, isScalar, isSeq } from 'yaml'

type Path = readonly string[]

/**
 * A scalar is represented by its type and its text as written, because `010` and `10` differ if the key expects text.
 */
type Tree = string | readonly Tree[] | ReadonlyMap<string, Tree>

const nothing = 'object null'

/** The content of a document, key by key. A section without a value counts as missing. */
export function treeOf(document: Document): Tree {
  const tree = document.contents === null ? new Map<string, Tree>() : treeOfNode(document.contents, document)
  return tree instanceof Map ? new Map([...tree].filter(([, value]) => value !== nothing)) : tree
}

function treeOfNode(node: unknown, document: Document): Tree {
  if (isAlias(node)) {
    const target = node.resolve(document)
    return target === undefined ? 'alias' : treeOfNode(target, document)
  }
  if (isMap(node)) return new Map(node.items.map(({ key, value }) => [nameOf(key), treeOfNode(value, document)]))
  if (isSeq(node)) return node.items.map((item) => treeOfNode(item, document))
  if (!isScalar(node) || node.value === null) return nothing
  const { value, source } = node
  return `${typeof value} ${typeof value === 'string' ? value : (source ?? JSON.stringify(value))}`
}

/** The first difference between two trees; undefined if there is none. Missing keys come before extra ones. */
export function difference(from: Tree, to: Tree, isWhole = true): Path | undefined {
  // A mapping that becomes empty is one difference, because its key then needs another value.
  if (!(from instanceof Map && to instanceof Map) || (to.size === 0 && from.size > 0 && !isWhole))
    return JSON.stringify(plain(from)) === JSON.stringify(plain(to)) ? undefined : []
  for (const [key, value] of to) {
    const had = from.get(key) as Tree | undefined
    const inner = had === undefined ? [] : difference(had, value as Tree, false)
    if (inner) return [key, ...inner]
  }
  const surplus = [...from.keys()].find((key) => !to.has(key)) as string | undefined
  return surplus === undefined ? undefined : [surplus]
}

function plain(tree: Tree): unknown {
  if (typeof tree === 'string') return tree
  return tree instanceof Map
    ? { map: [...tree].map(([key, value]) => [key, plain(value)]) }
    : (tree as Tree[]).map(plain)
}

export function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key)
}
