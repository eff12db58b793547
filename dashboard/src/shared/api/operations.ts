import type { z } from 'zod'
import { isRecord } from '../../../../src/base/lib/is-record.ts'
import type { Route } from '../../../../src/base/operation/operation.ts'
import type { Contracts, OperationName } from '../../../../src/features/contracts.ts'
import { texts } from './texts.ts'

export type Input<Name extends OperationName> = z.input<Contracts[Name]['input']>
export type Output<Name extends OperationName> = z.output<Contracts[Name]['output']>

/** Inserted by Vite, from the contracts. */
declare const irisRoutes: Readonly<Record<OperationName, readonly Route[]>>

/** Iris refused a call, or could not be reached. `message` says what happened, `remedy` what to do. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: string
  readonly remedy: string
  readonly status: number

  constructor({ code, detail, remedy, status }: { code: string; detail: string; remedy: string; status: number }) {
    super(detail)
    this.code = code
    this.remedy = remedy
    this.status = status
  }
}

interface CallOptions {
  readonly signal?: AbortSignal
  /** Calls with the same key count as one, so a call may be repeated after a broken connection. */
  readonly idempotencyKey?: string
}

/** Calls an operation of Iris by its name. Throws a Problem. */
export async function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { signal, idempotencyKey }: CallOptions = {},
): Promise<Output<Name>> {
  const { method, address, rest } = requestOf(irisRoutes[name], input)
  const query = method === 'GET' ? queryOf(rest) : ''
  const response = await fetch(address + query, {
    method,
    ...(signal && { signal }),
    headers: {
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(method === 'POST' && { body: JSON.stringify(rest) }),
  }).catch((error: unknown) => {
    throw error instanceof DOMException && error.name === 'AbortError' ? error : unreachable()
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw problemOf(response.status, body)
  return body as Output<Name>
}

/** The first route all of whose fields are given; the other fields go into the query or the body. */
function requestOf(routes: readonly Route[], input: object) {
  const given = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const route = routes.find((candidate) => fieldsOf(candidate).every((field) => given.has(field)))
  if (route === undefined) throw new Error(`No address for ${JSON.stringify(input)} among ${routes.join(', ')}`)
  const [method, path] = route.split(' ', 2) as ['GET' | 'POST', string]
  const address = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(given.get(field))))
  for (const field of fieldsOf(route)) given.delete(field)
  return { method, address, rest: Object.fromEntries(given) }
}

function fieldsOf(route: Route): string[] {
  return [...route.matchAll(/\{(\w+)\}/g)].map(([, field]) => field!)
}

function queryOf(fields: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one))
  }
  return query.size === 0 ? '' : `?${query}`
}

function problemOf(status: number, body: unknown): Problem {
  if (isRecord(body) && typeof body['detail'] === 'string') {
    const { code = 'internal', detail, remedy = '' } = body as { code?: string; detail: string; remedy?: string }
    return new Problem({ code, detail, remedy, status })
  }
  return new Problem({
    code: 'internal',
    status,
    remedy: texts.lookAtTheLog,
    detail: texts.notReadable(status),
  })
}

function unreachable(): Problem {
  return new Problem({
    code: 'unreachable',
    detail: texts.cannotBeReached,
    remedy: texts.cannotBeReachedRemedy,
    status: 0,
  })
}
