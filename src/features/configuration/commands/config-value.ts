import { type Document, isAlias, isScalar, type Node, parseDocument, visit } from 'yaml'
import { IrisError } from '../../../base/protocol/error.ts'
import type { KeyPath } from '../../../platform/config/problem.ts'
import { isInEnvironment } from '../../../platform/config/secret-keys.ts'

/**
 * The value that a person wrote for a key of config.yaml, as YAML. In an environment, the value stays the text that the
 * person wrote, as it does in the file: `010` is not 10. Throws `invalid_input` if the text is not YAML.
 */
export function writtenValue(text: string, key: string, path: KeyPath): unknown {
  const document = parseDocument(text, { stringKeys: true, prettyErrors: false })
  // The parser warns of words that begin with an exclamation mark, because they would vanish from the value.
  const isValue = document.errors.length === 0 && document.warnings.length === 0 && !losesWords(document)
  visit(document, {
    Scalar: (where, node, above) => {
      const within = above.flatMap((each) => ('key' in each ? [String(each.key)] : []))
      if (where === 'key' || !isInEnvironment([...path, ...within])) return
      if (typeof node.value !== 'string' && node.value !== null && node.source !== undefined) node.value = node.source
    },
  })
  if (isValue) return document.toJS()
  throw new IrisError(
    'invalid_input',
    `The value for ${key} is not valid YAML for this key.`,
    `If it is text, put it in quotes for YAML: iris config set ${key} '"…"'`,
  )
}

/**
 * Whether the value would lose a part of the text: a comment after `#`, a word after `&`, or a `|` that nothing
 * follows.
 */
function losesWords(document: Document): boolean {
  const { contents, comment, commentBefore } = document
  const isEmptyBlock = isScalar(contents) && contents.value === '' && String(contents.type).startsWith('BLOCK_')
  let isLost = isEmptyBlock || isWritten(comment) || isWritten(commentBefore)
  visit(document, {
    Node: (_, node: Node) => {
      // An alias can only refer to the value itself, which would then have no end.
      const isNamed = isAlias(node) || ('anchor' in node && isWritten(node.anchor))
      if (isNamed || isWritten(node.comment) || isWritten(node.commentBefore)) isLost = true
    },
  })
  return isLost
}

function isWritten(words: string | null | undefined): boolean {
  return words !== undefined && words !== null
}
