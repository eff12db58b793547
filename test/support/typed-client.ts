import { readFileSync } from 'node:fs'
import type { operations } from './api-types.ts'
import type { Endpoint } from './call-tool.ts'

type Name = keyof operations

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
}

const file = new URL('../../docs/openapi.json', import.meta.url)
const { paths } = JSON.parse(readFileSync(file, 'utf8')) as Description
const routes = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, { method: method.toUpperCase(), path }]),
  ),
)

/** A client as a program has it that knows docs/openapi.json alone. Throws the problem of a refusal. */
export function typedClient({ port, token }: Endpoint) {
  return async <N extends Name>(name: N, input: operations[N]['input']): Promise<operations[N]['answer']> => {
    const { method, path } = routes.get(name)!
    const rest: Record<string, unknown> = { ...input }
    const address = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
      const value = encodeURIComponent(String(rest[field]))
      delete rest[field]
      return value
    })
    const query = new URLSearchParams(
      Object.entries(rest).flatMap(([field, value]) =>
        value === undefined ? [] : [value].flat().map((each): [string, string] => [field, String(each)]),
      ),
    )
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response =
      method === 'GET'
        ? await fetch(`http://127.0.0.1:${port}${address}?${query}`, { headers })
        : await fetch(`http://127.0.0.1:${port}${address}`, { method, headers, body: JSON.stringify(rest) })
    const body = (await response.json()) as operations[N]['answer']
    if (!response.ok) throw Object.assign(new Error(JSON.stringify(body)), { status: response.status })
    return body
  }
}
