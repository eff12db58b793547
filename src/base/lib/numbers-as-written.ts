import type { Scalar, Tags } from 'yaml'

/**
 * `customTags` of a YAML document that is written again: numbers that were read keep their spelling. By itself the library writes 10 for
 * `010`, and rounds the ids of chats. To give such a scalar another value, remove its `source`.
 */
export function numbersAsWritten(tags: Tags): Tags {
  return tags.map((tag) =>
    typeof tag === 'string' || tag.collection || !/:(?:int|float)$/.test(tag.tag)
      ? tag
      : {
          ...tag,
          stringify: (node: Scalar, ...rest) => node.source ?? tag.stringify?.(node, ...rest) ?? String(node.value),
        },
  )
}
