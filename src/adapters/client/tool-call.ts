import type { z } from 'zod'
import { isRecord } from '../../base/lib/is-record.ts'
import { type ErrorCode, errorCodes, IrisError } from '../../base/protocol/error.ts'
import type { Contracts, OperationName } from '../../features/contracts.ts'
import { type JsonRpcId, type JsonRpcMessage, type JsonRpcRequest } from './json-rpc.ts'

export type Input<Name extends OperationName> = z.input<Contracts[Name]['input']>
export type Output<Name extends OperationName> = z.output<Contracts[Name]['output']>

export function toolCall<Name extends OperationName>(
  id: JsonRpcId,
  name: Name,
  input: Input<Name>,
  meta?: Readonly<Record<string, unknown>>,
): JsonRpcRequest {
  const params = { name, arguments: input, ...(meta && { _meta: meta }) }
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

/**
 * The result of an operation. The daemon made it according to the contract, so it is not checked again: loading the
 * contracts would take longer than a command may. Throws the daemon's refusal as an IrisError.
 */
export function toolResult<Name extends OperationName>(_name: Name, answer: JsonRpcMessage): Output<Name> {
  const { result, error } = answer
  if (error) throw new IrisError('internal', error.message, 'See the daemon log.')
  const { structuredContent, content } = isRecord(result) ? result : {}
  if (structuredContent !== undefined) return structuredContent as Output<Name>
  throw refusal(content)
}

function refusal(content: unknown): IrisError {
  const [block] = Array.isArray(content) ? content : []
  const text = isRecord(block) ? String(block['text']) : ''
  const { code, message, remedy, retryAfterMs, firstCursor } = JSON.parse(text).error
  const known: ErrorCode = errorCodes.find((each) => each === code) ?? 'internal'
  return new IrisError(known, String(message), String(remedy), { retryAfterMs, firstCursor })
}
