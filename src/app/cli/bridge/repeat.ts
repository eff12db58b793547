import { type JsonRpcRequest, metaOf } from '../../../adapters/client/json-rpc.ts'
import { isRecord } from '../../../base/lib/is-record.ts'
import { consoleMeta, idempotencyMeta } from '../../../base/protocol/daemon.ts'
import { IrisError, toIrisError } from '../../../base/protocol/error.ts'

/**
 * Makes a request safe to send more than once: a tool call gets an idempotency key, unless it has one. Late answers to
 * it go to `console`.
 */
export function repeatable(request: JsonRpcRequest, newId: () => string, console?: string): JsonRpcRequest {
  if (request.method !== 'tools/call') return request
  const meta = {
    [idempotencyMeta]: toolUseOf(request) ?? newId(),
    ...metaOf(request),
    ...(console !== undefined && { [consoleMeta]: console }),
  }
  return { ...request, params: { ...request.params, _meta: meta } }
}

/** When a client repeats a call, the id of the model's tool use shows that it is the same call. */
function toolUseOf(request: JsonRpcRequest): string | undefined {
  const id = metaOf(request)['claudecode/toolUseId']
  return typeof id === 'string' && id !== '' && id.length <= maxToolUse ? `tool use ${id}` : undefined
}

const maxToolUse = 200

/** The request to send again after `elapsedMs`. A tool call with a timeout gets what is left of it, at least 1 ms. */
export function repetition(request: JsonRpcRequest, elapsedMs: number): JsonRpcRequest {
  const given = request.params?.['arguments']
  const timeout = isRecord(given) ? given['timeout'] : undefined
  if (request.method !== 'tools/call' || typeof timeout !== 'number' || timeout <= 0) return request
  const rest = Math.max(1, Math.round(timeout - elapsedMs))
  return { ...request, params: { ...request.params, arguments: { ...(given as object), timeout: rest } } }
}

/** Tools that take an idempotency key, so that a repeated call runs once. */
const keyed = ['send_message', 'ask_message', 'quick_message', 'invoke_agent', 'notify']

/**
 * The error for a request that may have reached the daemon before the connection broke, and has had no answer since.
 */
export function maybeDone(request: JsonRpcRequest, error: unknown): IrisError {
  const { code, message, remedy } = toIrisError(error)
  const key = metaOf(request)[idempotencyMeta]
  const isKeyed = keyed.includes(String(request.params?.['name']))
  const words = isKeyed
    ? `It may have been accepted before the connection broke. Call it again with idempotencyKey "${String(key)}", and Iris recognizes it as the same call.`
    : 'The call may have taken effect before the connection was lost.'
  return new IrisError(code, `${message} ${words}`, remedy, { cause: error })
}
