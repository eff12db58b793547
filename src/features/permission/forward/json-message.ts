import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import { type SignedHeaders, signedHeaders } from './signature.ts'

export interface JsonMessage {
  readonly type: 'permission.request' | 'permission.resolved'
  /** The same for every attempt to send it. */
  readonly id: string
  /** When the event happened, milliseconds since the epoch. */
  readonly at: number
  readonly data: Readonly<Record<string, unknown>>
}

/** The question, and where a signed answer to it is taken. */
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

/** Body and signature in the form of Standard Webhooks: type, timestamp, data. `now` is the time of the attempt. */
export function signedJson({ type, id, at, data }: JsonMessage, secret: string, now: number): Signed {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
  return { body, headers: { 'content-type': 'application/json', ...signedHeaders(secret, { id, at: now, body }) } }
}

interface Signed {
  readonly body: string
  readonly headers: SignedHeaders & { readonly 'content-type': string }
}
