type Json = Readonly<Record<string, unknown>>

interface Described {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Json
  }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Json } } }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Json }>> }>
  >
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

/** The TypeScript type of a JSON Schema, as far as docs/openapi.json uses it. */
function typeOf(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'unknown'
  const {
    $ref,
    const: only,
    enum: words,
    anyOf,
    oneOf,
    type,
    items,
    properties,
    required = [],
    additionalProperties,
  } = schema as Json
  if (typeof $ref === 'string') return `schemas['${$ref.split('/').at(-1)}']`
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(' | ')
  const any = (anyOf ?? oneOf) as readonly unknown[] | undefined
  if (any)
    return any
      .map(typeOf)
      .map((each) => `(${each})`)
      .join(' | ')
  if (Array.isArray(type)) return type.map((each) => `(${typeOf({ ...schema, type: each })})`).join(' | ')
  if (type === 'array') return `(${typeOf(items)})[]`
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type !== 'object') return 'unknown'
  const fields = Object.entries((properties ?? {}) as Json).map(([name, field]) => {
    const isRequired = (required as readonly string[]).includes(name)
    return isRequired
      ? `${JSON.stringify(name)}: ${typeOf(field)}`
      : `${JSON.stringify(name)}?: ${typeOf(field)} | undefined`
  })
  if (properties !== undefined && fields.length === 0 && typeof additionalProperties !== 'object') return 'Empty'
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
  return `Record<string, ${value}>`
}

/**
 * The types that a client has of docs/openapi.json: `operations` by name with method, path, input and answer.
 */
export function clientTypes({ paths, components }: Description): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `  ${name}: ${typeOf(schema)}`)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, parameters = [], requestBody, responses }]) => {
      const answer = responses['200']?.content?.['application/json']?.schema
      if (answer === undefined || !path.startsWith('/api/')) return []
      const fields = parameters.filter((each) => each.in !== 'header')
      const asked = typeOf({
        type: 'object',
        properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
        required: fields.filter(({ required }) => required).map(({ name }) => name),
      })
      const body = requestBody && typeOf(requestBody.content['application/json'].schema)
      const input = [fields.length > 0 ? asked : undefined, body].filter((each) => each !== undefined).join(' & ')
      return [
        `  ${operationId}: { method: '${method.toUpperCase()}'; path: '${path}'; input: ${input || 'Empty'}; answer: ${typeOf(answer)} }`,
      ]
    }),
  )
  return [
    '// Written by `npm run generate` from docs/openapi.json.',
    'type Empty = Readonly<Record<never, never>>',
    `export interface schemas {\n${schemas.join('\n')}\n}`,
    `export interface operations {\n${operations.join('\n')}\n}`,
    '',
  ].join('\n')
}

export const typesFile = 'test/support/api-types.ts'
