import { Ajv2020 } from 'ajv/dist/2020.js'

/** The parts of a route's OpenAPI description that are needed for a call. */
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
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

interface Described {
  readonly operationId: string
  readonly 'x-access': ApiRoute['access']
  readonly parameters: readonly Parameter[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } }
  }
}

interface Body {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Body>> }
}

/** The routes of operations. */
export function routesOf({ paths, components }: Description, names: readonly string[]): ApiRoute[] {
  const ofOperations = Object.entries(paths).map(([path, methods]) => {
    const own = Object.entries(methods).filter(([, { operationId }]) =>
      names.includes(operationId.replace(/_\d+$/, '')),
    )
    return [path, Object.fromEntries(own)] as const
  })
  return ofOperations.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody, 'x-access': access }]) => {
      const name = requestBody?.content['application/json'].schema.$ref.split('/').at(-1)
      const body = name === undefined ? undefined : components.schemas[name]
      const inBody = Object.entries(body?.properties ?? {}).map(([name, schema]) => {
        return { name, in: 'body' as const, isRequired: body!.required.includes(name), schema }
      })
      const asked = parameters.flatMap(({ required = false, in: place, ...rest }) =>
        place === 'header' ? [] : [{ ...rest, in: place, isRequired: required }],
      )
      const fields = [...asked, ...inBody]
      return { name: operationId, method: method.toUpperCase() as 'GET' | 'POST', path, access, fields }
    }),
  )
}

/** Judges answers by the description alone, as a client does that was made from it; returns what is wrong. */
export function answersAsDescribed(description: object) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema({ ...description, $id: 'iris' })
  const pointer = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1')
  return ({ method, path }: ApiRoute, { status, body }: { readonly status: number; readonly body: unknown }) => {
    const place = `/paths/${pointer(path)}/${method.toLowerCase()}/responses/${status}/content/${pointer('application/json')}/schema`
    const isRight = ajv.getSchema(`iris#${place.replaceAll('{', '%7B').replaceAll('}', '%7D')}`)
    if (isRight === undefined) return [`${method} ${path} has no answer ${status} in the description`]
    return isRight(body) ? [] : (isRight.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  }
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
  // A schema without a type takes every value.
  if (type === undefined && words === undefined && anyOf === undefined) return {}
  const types = [type, ...(anyOf ?? []).map((each) => each.type)].flat()
  const isNumber = types.includes('integer') || types.includes('number')
  const misshapen = ['!', '- -'].find((text) => pattern !== undefined && !new RegExp(pattern).test(text))
  return {
    // In an address all is text: what is no text cannot be said there, and a name said twice is a list.
    ...(place === 'body' && { 'of another type': ofAnotherType(types, words !== undefined || anyOf !== undefined) }),
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

function ofAnotherType(types: readonly (string | undefined)[], isChoice: boolean): unknown {
  const isText = types.includes('string')
  if (types.includes('integer') || types.includes('number')) return isText ? true : 'text'
  return isText || isChoice ? 7 : 'text'
}
