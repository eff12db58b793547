import { z } from 'zod'
import type { Operation, Route } from '../../../base/operation/operation.ts'
import { irisVersion } from '../../../base/protocol/version.ts'
import { contracts, operationNames } from '../../../features/contracts.ts'
import { splitRoute } from './operations.ts'

type Json = Readonly<Record<string, unknown>>

const problem = {
  description: 'Refused. `code` says why, `remedy` what to do about it.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

/** The API as OpenAPI 3.1, made from the contracts. */
export function openApi(): Json {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const name of operationNames) {
    for (const [index, route] of contracts[name].routes.entries()) {
      const [method, path] = splitRoute(route)
      const operationId = index === 0 ? name : `${name}_${index + 1}`
      paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId, ...described(contracts[name], route) } }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Iris', version: irisVersion, description: 'Every operation of Iris over HTTP.' },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: problemSchema },
    },
  }
}

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'remedy'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened, and why' },
    code: { type: 'string' },
    remedy: { type: 'string', description: 'What to do about it' },
    retryAfterMs: { type: 'number', description: 'After so many milliseconds the same call may succeed' },
    firstCursor: { type: 'string', description: 'Of cursor_unknown: the first cursor of GET /api/events to read from' },
  },
}

function described(contract: Operation, route: Route): Json {
  const { title, description, access, input, output } = contract
  const [method, path] = splitRoute(route)
  const { properties = {}, required = [] } = schemaOf(input, 'input')
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const fields = Object.entries(properties as Record<string, Json>)
  const rest = fields.filter(([name]) => !inPath.includes(name))
  const isRequired = (name: string): boolean => (required as string[]).includes(name)
  const parameter = (name: string, schema: Json, where: 'path' | 'query') => ({
    name,
    in: where,
    required: where === 'path' || isRequired(name),
    schema,
  })
  const body = {
    type: 'object',
    properties: Object.fromEntries(rest),
    required: rest.map(([name]) => name).filter(isRequired),
    additionalProperties: false,
  }
  return {
    summary: title,
    description,
    tags: [path.split('/')[2]!],
    'x-access': access,
    parameters: [
      ...fields.filter(([name]) => inPath.includes(name)).map(([name, schema]) => parameter(name, schema, 'path')),
      ...(method === 'GET' ? rest.map(([name, schema]) => parameter(name, schema, 'query')) : []),
    ],
    ...(method === 'POST' && {
      requestBody: { required: body.required.length > 0, content: { 'application/json': { schema: body } } },
    }),
    responses: {
      '200': { description: 'Done', content: { 'application/json': { schema: schemaOf(output, 'output') } } },
      default: problem,
    },
  }
}

function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return json
}
