import { type Document, isAlias, type Node, parseDocument, visit } from 'yaml'
import { numbersAsWritten } from '../../base/lib/numbers-as-written.ts'

/** config.yaml as a document that can be changed and written again; a duplicate key is not an error here. */
export function parsedConfig(text: string) {
  return parseDocument(text, { stringKeys: true, uniqueKeys: false, customTags: numbersAsWritten })
}

/** A limit, because aliases multiply the text. */
const maxNodes = 50_000

/**
 * The document with each alias replaced by a copy of its value, so that a change in one place does not affect another.
 * Undefined if an alias is undefined or recursive, or if the copies become too large.
 */
export function withoutAliases(text: string): Document | undefined {
  const document: Document = parsedConfig(text)
  let nodes = 0
  let isWhole = true
  visit(document, {
    Alias(_, alias) {
      const copy = alias.resolve(document)?.clone() as Node | undefined
      // Earlier aliases have already been replaced by copies, so a remaining alias is inside its own value.
      visit(copy ?? null, (_key, node) => {
        nodes += 1
        isWhole &&= !isAlias(node)
      })
      isWhole &&= copy !== undefined && nodes < maxNodes
      return isWhole ? withoutAnchors(copy!) : visit.BREAK
    },
  })
  return isWhole ? withoutAnchors(document) : undefined
}

function withoutAnchors<T extends Document | Node>(within: T): T {
  visit(within, { Value: (_, node) => void delete node.anchor })
  return within
}
