/** What the OpenAPI description says of one route, as far as a call can be made of it. */
export interface ApiRoute {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly access: 'viewer' | 'agent' | 'program' | 'owner'
  readonly fields: readonly ApiField[]
}

export interface ApiField {
  readonly name: string
  readonly in: 'path' | 'query' | 'body'
  readonly isRequired: boolean
  readonly schema: Schema
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly anyOf?: readonly Schema[]
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
}

interface Described {
  readonly operationId: string
  readonly 'x-access': ApiRoute['access']
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Body } } }
}

interface Body {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

export function routesOf({ paths }: Description): ApiRoute[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody, 'x-access': access }]) => {
      const body = requestBody?.content['application/json'].schema
      const inBody = Object.entries(body?.properties ?? {}).map(([name, schema]) => {
        return { name, in: 'body' as const, isRequired: body!.required.includes(name), schema }
      })
      const asked = parameters.map(({ required, ...rest }) => ({ ...rest, isRequired: required }))
      const fields = [...asked, ...inBody]
      return { name: operationId, method: method.toUpperCase() as 'GET' | 'POST', path, access, fields }
    }),
  )
}

/** What the schema alone says is right; undefined where it takes one that means something. */
export function anyValue({ enum: words, type, minimum }: Schema): unknown {
  if (words) return words[0]
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return Math.max(minimum ?? 1, 1)
  return undefined
}

/** Values that the schema says are wrong, each with what is wrong about it. */
export function wrongValues({ in: place, schema, isRequired }: ApiField): Record<string, unknown> {
  const { type, enum: words, pattern, minimum, maximum, minLength, maxLength, anyOf } = schema
  const types = [type].flat()
  const isNumber = types.includes('integer') || types.includes('number')
  const misshapen = ['!', '- -'].find((text) => pattern !== undefined && !new RegExp(pattern).test(text))
  return {
    // In an address all is text: what is no text cannot be said there, and a name said twice is a list.
    ...(place === 'body' && { 'of another type': types.includes('string') || words || anyOf ? 7 : 'text' }),
    ...(place === 'query' && (isNumber || type === 'boolean') && { 'of another type': 'text' }),
    ...(place === 'query' && type === 'string' && { 'said twice': ['one', 'two'] }),
    ...(words && { 'none of those there are': 'no-such-word' }),
    ...(misshapen !== undefined && place !== 'path' && { 'of another form': misshapen }),
    ...(minimum !== undefined && isNumber && { 'too small': minimum - 1 }),
    ...(maximum !== undefined && isNumber && { 'too large': maximum + 1 }),
    ...(type === 'integer' && { 'no whole number': 1.5 }),
    // No text, and null, stand for an argument that is not given.
    ...(minLength !== undefined && place === 'body' && isRequired && { 'too short': '' }),
    ...(maxLength !== undefined && { 'too long': 'x'.repeat(maxLength + 1) }),
    ...(place === 'body' && isRequired && !types.includes('null') && { null: null }),
    ...(place === 'body' && !types.includes('object') && { nested: { a: [{ b: 1 }] } }),
  }
}
