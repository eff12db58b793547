import type { OperationName } from '../../src/features/contracts.ts'
import type { AuthContext } from '../../src/kernel/call/call.ts'
import { callOperation } from '../../src/kernel/call/index.ts'
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
