import { isRecord } from '../../base/lib/is-record.ts'

export type JsonRpcId = string | number

/** A JSON-RPC 2.0 message of any kind. Its parts are not checked, because clients of Iris only pass them on. */
export interface JsonRpcMessage {
  readonly jsonrpc: '2.0'
  readonly id?: JsonRpcId | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface JsonRpcRequest extends JsonRpcMessage {
  readonly id: JsonRpcId
  readonly method: string
}

/** Error codes that JSON-RPC defines, and one from the range that it leaves to servers. */
export const parseError = -32_700
export const invalidRequest = -32_600
export const methodNotFound = -32_601
export const serverError = -32_000

export function isMessage(value: unknown): value is JsonRpcMessage {
  return isRecord(value) && value['jsonrpc'] === '2.0'
}

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return typeof message.method === 'string' && (typeof message.id === 'string' || typeof message.id === 'number')
}

export function isAnswerTo(message: JsonRpcMessage, request: JsonRpcMessage): boolean {
  return message.method === undefined && message.id === request.id
}

/** The `_meta` of a message's parameters. Empty if there is none. */
export function metaOf({ params }: JsonRpcMessage): Readonly<Record<string, unknown>> {
  const meta = params?.['_meta']
  return isRecord(meta) ? meta : {}
}

export function errorAnswer(id: JsonRpcId | null, code: number, message: string, data?: unknown): JsonRpcMessage {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}
