import type { Unsigned } from '../../../base/lib/webhook-signature.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'

export interface JsonMessage extends Unsigned {
  readonly type: 'permission.request' | 'permission.resolved'
}

/** The question, and the address that accepts a signed answer to it. */
export function requestMessage(view: PermissionView, answerUrl: string): JsonMessage {
  const data = { ...view, answerUrl }
  return { type: 'permission.request', id: view.permissionId, at: view.askedAt, data }
}

/** How a forwarded question ended. */
export function resolvedMessage({ permissionId, ...view }: PermissionView, at: number): JsonMessage {
  const { state, decidedBy, decidedAt, scope, message } = view
  const data = { permissionId, state, decidedBy, decidedAt, scope, message }
  return { type: 'permission.resolved', id: `${permissionId}_resolved`, at, data }
}
