import { filter, firstValueFrom, map, timeout } from 'rxjs'
import type { PermissionView } from '../../src/base/protocol/permission-view.ts'
import type { OperationName } from '../../src/features/contracts.ts'
import { theOwner } from '../../src/kernel/call/principal.ts'
import { callAs } from './call-as.ts'
import type { TestIris } from './iris.ts'

/** One call of an operation by the person who owns this Iris. */
export function asOwner(iris: TestIris, name: OperationName, input: object = {}): Promise<Record<string, unknown>> {
  return callAs({ principal: theOwner, team: undefined, parent: undefined }, iris, name, input)
}

/** The first question, past or to come, about a tool of this team; several processes may have to start before it. */
export function questionOf(iris: TestIris, team: string): Promise<PermissionView> {
  const asked = iris.events$.pipe(
    filter((event) => event.type === 'permission:request'),
    map(({ permission }) => permission),
    filter((permission) => permission.team === team),
    timeout({ first: 45_000 }),
  )
  return firstValueFrom(asked)
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
