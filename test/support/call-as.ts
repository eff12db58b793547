import type { AuthContext } from '../../src/adapters/operations/call.ts'
import { callOperation } from '../../src/adapters/operations/index.ts'
import type { OperationName } from '../../src/base/protocol/operations/index.ts'
import type { TestIris } from './iris.ts'

/** An operation as somebody calls it whose connection says who they are. */
export function callAs(
  auth: AuthContext,
  { daemon: { domain } }: TestIris,
  name: OperationName,
  input: object = {},
): Promise<Record<string, unknown>> {
  const call = { auth, signal: AbortSignal.any([]), progress: () => {}, idempotencyKey: undefined }
  return callOperation(name, input, call, domain)
}
