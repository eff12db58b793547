import { type JsonRpcRequest, metaOf } from '../../client/json-rpc.ts'
import { isRecord } from '../../lib/is-record.ts'
import { idempotencyMeta } from '../../protocol/daemon.ts'

/** The request as it can be sent more than once: a call of a tool carries a key that makes all of them the same call. */
export function repeatable(request: JsonRpcRequest, newId: () => string): JsonRpcRequest {
  if (request.method !== 'tools/call') return request
  const meta = { [idempotencyMeta]: newId(), ...metaOf(request) }
  return { ...request, params: { ...request.params, _meta: meta } }
}

/** The same request after `elapsedMs` of waiting: a call with a bounded wait waits for the rest of it. */
export function repetition(request: JsonRpcRequest, elapsedMs: number): JsonRpcRequest {
  const given = request.params?.['arguments']
  const timeout = isRecord(given) ? given['timeout'] : undefined
  if (request.method !== 'tools/call' || typeof timeout !== 'number' || timeout <= 0) return request
  const rest = Math.max(1, Math.round(timeout - elapsedMs))
  return { ...request, params: { ...request.params, arguments: { ...(given as object), timeout: rest } } }
}
