import type { OperationName } from '../../src/features/contracts.ts'
import type { AuthContext } from '../../src/kernel/call/call.ts'
import type { TestIris } from './iris.ts'

/** An operation as someone calls it whose connection says who they are. */
export function callAs(
  auth: AuthContext,
  { daemon: { operations } }: TestIris,
  name: OperationName,
  input: object = {},
): Promise<Record<string, unknown>> {
  const call = { auth, signal: AbortSignal.any([]), progress: () => {}, idempotencyKey: undefined }
  return operations.call(name, input, call)
}
