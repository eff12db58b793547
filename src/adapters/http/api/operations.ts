import type { Context } from 'hono'
import { isRecord } from '../../../base/lib/is-record.ts'
import { nestsDeeper } from '../../../base/lib/nests-deeper.ts'
import { utf8Of } from '../../../base/lib/utf8.ts'
import type { Route } from '../../../base/operation/operation.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { contracts, type OperationName, operationNames } from '../../../features/contracts.ts'
import type { Call } from '../../../kernel/call/call.ts'
import type { Operations } from '../../../kernel/call/operations.ts'
import type { Env, Routes } from '../routes.ts'
import { QueryReader } from './input.ts'

export interface ApiParts {
  readonly operations: Operations
}

/** Mounts every operation at the routes of its contract. Only translates, and decides nothing. */
export function mountOperations(api: Routes, parts: ApiParts): void {
  for (const name of operationNames) {
    const reader = new QueryReader(contracts[name].input)
    for (const route of contracts[name].routes) mount(api, name, route, reader, parts)
  }
}

function mount(api: Routes, name: OperationName, route: Route, reader: QueryReader, { operations }: ApiParts): void {
  const [method, path] = patternOf(route)
  api.on(method, path, async (context) => {
    const given = method === 'GET' ? reader.read(context.req.queries()) : await bodyOf(context)
    const auth = context.get('auth')
    const call: Call = {
      auth,
      signal: signalOf(context.req.raw.signal, context.get('loginOver')),
      idempotencyKey: context.req.header('idempotency-key'),
      traceparent: context.req.header('traceparent'),
      progress: () => {},
      maxWaitMs,
      isWhole: true,
    }
    const result = await operations
      .call(name, { ...given, ...context.req.param() }, call)
      .finally(() => tellLimits(context, operations.standing(auth)))
    const traceparent = operations.traceparentOf(result)
    if (traceparent !== undefined) context.header('traceparent', traceparent)
    if (!goesOn(result)) return context.json(result)
    const { turnId } = result
    if (typeof turnId === 'string') context.header('location', `/api/turns/${turnId}?timeout=0`)
    return context.json(result, 202)
  })
}

/** Node's `fetch` gives up after 300 s without a header, and Iris sends no header before the answer. */
const maxWaitMs = 240_000

/** Sets the headers about limits. They are set on Node's response, so that refusals have them too. */
function tellLimits(context: Context<Env>, { limit, left, fullInMs }: ReturnType<Operations['standing']>): void {
  const headers = { limit, remaining: left, reset: Math.ceil(fullInMs / 1000) }
  const outgoing = context.env?.outgoing
  for (const [name, value] of Object.entries(headers)) outgoing?.setHeader(`ratelimit-${name}`, String(value))
}

/** The methods of each address that belongs to an operation. */
export function methodsByPath(): ReadonlyMap<string, readonly string[]> {
  const routes = operationNames.flatMap((name) => contracts[name].routes.map(patternOf))
  return new Map(routes.map(([, path]) => [path, routes.filter((each) => each[1] === path).map(([method]) => method)]))
}

/** Splits a route into method and pattern: `['GET', '/api/teams/:team/status']`. */
function patternOf(route: Route): readonly ['GET' | 'POST', string] {
  const [method, path] = splitRoute(route)
  return [method, path.replaceAll(/\{(\w+)\}/g, ':$1')]
}

/** A browser's call also ends when its login ends. */
function signalOf(request: AbortSignal, loginOver: AbortSignal | undefined): AbortSignal {
  return loginOver === undefined ? request : AbortSignal.any([request, loginOver])
}

/** Splits a route into method and path: `['GET', '/api/teams/{team}/status']`. */
export function splitRoute(route: Route): readonly ['GET' | 'POST', string] {
  const space = route.indexOf(' ')
  return [route.slice(0, space) as 'GET' | 'POST', route.slice(space + 1)]
}

/** Whether the answer is still to come. message_status collects it. */
function goesOn({ status }: Record<string, unknown>): boolean {
  return status === 'async' || status === 'mcp_timeout'
}

/** No operation needs more levels of JSON. */
const mostLevels = 500

/** The arguments in the body. If the body is empty, there are none. Throws `invalid_input`. */
async function bodyOf(context: Context): Promise<Record<string, unknown>> {
  const text = utf8Of(await context.req.arrayBuffer())
  if (text === undefined) throw unreadable('is not UTF-8')
  if (text.trim() === '') return {}
  if (nestsDeeper(text, mostLevels)) throw unreadable(`has more than ${mostLevels} levels`)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw unreadable(`is not JSON: ${String(error)}`)
  }
  if (!isRecord(body)) throw unreadable('is not a JSON object')
  return body
}

function unreadable(why: string): IrisError {
  return new IrisError('invalid_input', `The body ${why}.`, 'Send one JSON object with the arguments of the operation.')
}
