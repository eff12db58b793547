import type { Scalar, Tags } from 'yaml'

/**
 * `customTags` for a YAML document that is rewritten: numbers keep their spelling. Otherwise the library writes 10 for
 * `010` and rounds chat ids. To give such a scalar another value, remove its `source`.
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
