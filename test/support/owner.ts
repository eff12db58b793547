import type { Caller } from '../../src/operations/call.ts'
import { callOperation } from '../../src/operations/index.ts'
import type { OperationName } from '../../src/protocol/operations/index.ts'
import type { PermissionView } from '../../src/protocol/operations/permissions.ts'
import type { TestIris } from './iris.ts'

/** One call of an operation by the person who owns this Iris. */
export function asOwner(iris: TestIris, name: OperationName, input: object = {}): Promise<Record<string, unknown>> {
  const caller: Caller = { kind: 'owner', party: undefined, parent: undefined }
  const signal = new AbortController().signal
  return callOperation(
    name,
    input,
    { caller, signal, progress: () => {}, idempotencyKey: undefined },
    iris.daemon.domain,
  )
}

/** The first question, past or to come, about a tool of this team. */
export async function questionOf(iris: TestIris, team: string): Promise<PermissionView> {
  const { permission } = await iris.event('permission:request', (event) => event.permission.team === team)
  return permission
}

export async function answerPermission(
  iris: TestIris,
  { permissionId }: Pick<PermissionView, 'permissionId'>,
  decision: 'allow' | 'deny',
  more: object = {},
): Promise<{ status: string; permission: PermissionView }> {
  const answer = await asOwner(iris, 'answer_permission', { permissionId, decision, ...more })
  return answer as { status: string; permission: PermissionView }
}
