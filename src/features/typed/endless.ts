import { isRecord } from '../../base/lib/is-record.ts'

/** Keywords whose schemas judge the same value: one schema, a list of them, or a mapping to them. */
const sameValue = ['not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'dependentSchemas'] as const
/** Keywords whose schemas judge parts of the value. */
const partsOfValue = [
  'items',
  'prefixItems',
  'contains',
  'unevaluatedItems',
  'additionalProperties',
  'propertyNames',
  'unevaluatedProperties',
  'properties',
  'patternProperties',
] as const
const named = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])
/** The `$id` that is assumed for schemas without one. */
const nowhere = 'https://schema.invalid/'

type Schema = Readonly<Record<string, unknown>>

/**
 * The reference by which a schema leads back to itself for the same value, so that judging would never end; undefined
 * if there is none. Recursion into parts of a value is allowed, because it ends with them. Only references that a value
 * can reach count.
 */
export function endlessReference(root: Schema): string | undefined {
  const known = new References(root)
  const judged = new Set<Schema>()
  const open = new Set<Schema>()
  const waiting: Schema[] = [root]
  const found = (schema: Schema, by: string): string | undefined => {
    if (open.has(schema)) return by
    if (judged.has(schema)) return undefined
    judged.add(schema)
    open.add(schema)
    waiting.push(...inside(schema, partsOfValue))
    const ends =
      first(known.of(schema), ([reference, target]) => found(target, reference)) ??
      first(inside(schema, sameValue), (part) => found(part, by))
    open.delete(schema)
    return ends
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const endless = found(next, '#')
    if (endless !== undefined) return endless
  }
  return undefined
}

function first<T>(each: Iterable<T>, what: (one: T) => string | undefined): string | undefined {
  for (const one of each) {
    const found = what(one)
    if (found !== undefined) return found
  }
  return undefined
}

function inside(schema: Schema, keywords: readonly string[]): Schema[] {
  return keywords.flatMap((keyword) => {
    const value = schema[keyword]
    if (named.has(keyword)) return isRecord(value) ? Object.values(value).filter(isRecord) : []
    return (Array.isArray(value) ? value : [value]).filter(isRecord)
  })
}

/** Where the references of one schema lead. */
class References {
  readonly #bases = new Map<Schema, string>()
  /**
   * Schemas by address: those with an `$id`, and those with an anchor, whose address ends with `#` and the anchor's
   * name.
   */
  readonly #places = new Map<string, Schema>()

  constructor(root: Schema) {
    this.#places.set(nowhere, root)
    this.#learn(root, nowhere)
  }

  /** Each reference of a schema, with its target. A missing target was refused when the schema was compiled. */
  of(schema: Schema): (readonly [reference: string, Schema])[] {
    const base = this.#bases.get(schema) ?? nowhere
    return ['$ref', '$dynamicRef'].flatMap((keyword) => {
      const reference = schema[keyword]
      const target = typeof reference === 'string' ? this.#target(reference, base) : undefined
      return target === undefined ? [] : [[reference as string, target] as const]
    })
  }

  #target(reference: string, base: string): Schema | undefined {
    const address = URL.parse(reference, base)
    if (address === null) return undefined
    const fragment = decoded(address.hash.slice(1))
    address.hash = ''
    const place = this.#places.get(address.href)
    if (fragment === '' || place === undefined) return place
    if (!fragment.startsWith('/')) return this.#places.get(`${address.href}#${fragment}`)
    let found: unknown = place
    for (const part of fragment.slice(1).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      found = typeof found === 'object' && found !== null ? (found as Schema)[key] : undefined
    }
    if (!isRecord(found)) return undefined
    // An unknown keyword may contain schemas too.
    if (!this.#bases.has(found)) this.#learn(found, address.href)
    return found
  }

  #learn(schema: Schema, above: string): void {
    const own = typeof schema['$id'] === 'string' ? URL.parse(schema['$id'], above) : null
    if (own) own.hash = ''
    const base = own?.href ?? above
    if (own) this.#places.set(base, schema)
    this.#bases.set(schema, base)
    for (const keyword of ['$anchor', '$dynamicAnchor'])
      if (typeof schema[keyword] === 'string') this.#places.set(`${base}#${schema[keyword]}`, schema)
    for (const part of inside(schema, [...sameValue, ...partsOfValue, '$defs', 'definitions'])) this.#learn(part, base)
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
