import { z } from 'zod'
import type { Operation, Route } from '../../../base/operation/operation.ts'
import { irisVersion } from '../../../base/protocol/version.ts'
import { contracts, operationNames } from '../../../features/contracts.ts'
import { Problem } from '../problem.ts'
import { otherPaths } from './openapi-paths.ts'
import { splitRoute } from './operations.ts'

type Json = Readonly<Record<string, unknown>>

const header = (type: string, description: string) => ({ description, schema: { type } })

const headers = {
  'x-request-id': header('string', 'The id of this request in the log'),
  'ratelimit-limit': header('integer', 'Calls a minute'),
  'ratelimit-remaining': header('integer', 'Calls that may be made at once'),
  'ratelimit-reset': header('integer', 'Seconds until all calls may be made again'),
  traceparent: header('string', 'The trace of the message'),
  location: header('string', 'Where the result will be'),
  'retry-after': header('integer', 'Seconds after which the same call may succeed'),
  'www-authenticate': header('string', 'With 401'),
}

const named = (...names: readonly (keyof typeof headers)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const limits = ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const

const refused = {
  description: 'Refused. `code` says why, `remedy` what to do about it.',
  headers: named(...limits, 'retry-after', 'www-authenticate'),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

const callHeaders = [
  {
    name: 'idempotency-key',
    in: 'header',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    description: 'Calls with the same key are one message, for as long as Iris keeps that message',
  },
  {
    name: 'traceparent',
    in: 'header',
    schema: { type: 'string' },
    description: 'The trace to which the message belongs, as defined by W3C Trace Context',
  },
]

/** The API as OpenAPI 3.1, made from the contracts. */
export function openApi(): Json {
  const paths: Record<string, Record<string, unknown>> = {}
  const schemas: Record<string, Json> = { Problem: opened(schemaOf(Problem, 'output')) as Json }
  const outputs = new Map<z.ZodObject, string>()
  for (const name of operationNames) {
    const input = `${titled(name)}Input`
    // Operations with the same output share the name of that output.
    const output = outputs.get(contracts[name].output) ?? `${titled(name)}Result`
    outputs.set(contracts[name].output, output)
    for (const [index, route] of contracts[name].routes.entries()) {
      const [method, path] = splitRoute(route)
      schemas[output] ??= opened(schemaOf(contracts[name].output, 'output')) as Json
      // Operation ids must be unique, so only the first route has the plain name.
      const operationId = index === 0 ? name : `${name}_${index + 1}`
      const body = bodyOf(contracts[name], path)
      if (method === 'POST') schemas[input] ??= body
      const described = operationObject(contracts[name], route, { input, output, isBodyRequired: hasRequired(body) })
      paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId, ...described } }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Iris', version: irisVersion, description: 'Every operation of Iris over HTTP.' },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths: { ...paths, ...otherPaths },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, headers, schemas },
  }
}

function titled(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function hasRequired({ required }: Json): boolean {
  return (required as readonly string[]).length > 0
}

/** The arguments of a POST that are not in its path. */
function bodyOf({ input }: Operation, path: string): Json {
  const { properties = {}, required = [] } = schemaOf(input, 'input')
  const rest = Object.entries(properties as Json).filter(([name]) => !path.includes(`{${name}}`))
  return {
    type: 'object',
    properties: Object.fromEntries(rest),
    required: rest.map(([name]) => name).filter((name) => (required as string[]).includes(name)),
    additionalProperties: false,
  }
}

interface Shapes {
  readonly input: string
  readonly output: string
  readonly isBodyRequired: boolean
}

function operationObject(contract: Operation, route: Route, { input, output, isBodyRequired }: Shapes): Json {
  const { title, description, access } = contract
  const [method, path] = splitRoute(route)
  const { properties = {}, required = [] } = schemaOf(contract.input, 'input')
  const fields = Object.entries(properties as Record<string, Json>)
  const placeOf = (name: string): 'path' | 'query' => (path.includes(`{${name}}`) ? 'path' : 'query')
  const parameters = fields
    .filter(([name]) => method === 'GET' || placeOf(name) === 'path')
    .map(([name, schema]) => {
      const where = placeOf(name)
      return { name, in: where, required: where === 'path' || (required as string[]).includes(name), schema }
    })
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${output}` } } }
  return {
    summary: title,
    description,
    // The part after /api/
    tags: [path.split('/')[2]!],
    'x-access': access,
    parameters: [
      ...parameters.filter((each) => each.in === 'path'),
      ...parameters.filter((each) => each.in === 'query'),
      ...(method === 'POST' ? callHeaders : []),
    ],
    ...(method === 'POST' && {
      requestBody: {
        required: isBodyRequired,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${input}` } } },
      },
    }),
    responses: {
      '200': { description: 'Done', headers: named(...limits, 'traceparent'), content },
      ...(waits(contract) && {
        '202': {
          description: 'The work continues. `location` is where its result will be.',
          headers: named(...limits, 'traceparent', 'location'),
          content,
        },
      }),
      default: refused,
    },
  }
}

/** Whether the answer may come after the end of the call. */
function waits({ output }: Operation): boolean {
  const { status } = (schemaOf(output, 'output')['properties'] ?? {}) as Record<string, { enum?: readonly string[] }>
  return status?.enum?.includes('mcp_timeout') === true || status?.enum?.includes('async') === true
}

/** A later version may add fields to its answers. */
function opened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(opened)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !(key === 'additionalProperties' && value === false))
      .map(([key, value]) => [key, opened(value)]),
  )
}

function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return json
}
