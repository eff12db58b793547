import { ownerCall } from '../../../app/cli/call.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { isRecord } from '../../../base/lib/is-record.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { PermissionScope, type PermissionView, permissionScopes } from '../../../base/protocol/permission-view.ts'

interface AnswerOptions {
  readonly id: string
  readonly scope?: string
  readonly rule?: string
  /** The tool's input, as JSON. */
  readonly input?: string
  readonly message?: readonly string[]
}

export function allow(given: Given): Promise<void> {
  return answer(given, 'allow')
}

export function deny(given: Given): Promise<void> {
  return answer(given, 'deny')
}

/** Answers the only question whose id begins with `id`. */
async function answer({ context, options, json }: Given, decision: 'allow' | 'deny'): Promise<void> {
  const { id, scope, rule, input, message: words = [] } = options as unknown as AnswerOptions
  const message = words.join(' ')
  const given = {
    ...(scope !== undefined && { scope: scopeOf(scope) }),
    ...(rule !== undefined && { rule }),
    ...(input !== undefined && { updatedInput: inputOf(input) }),
    ...(message !== '' && { message }),
  }
  const { permissions } = await ownerCall(context, 'list_permissions', { state: 'all', limit: 1000 })
  const { permissionId, inputHash } = named(id, permissions)
  const answered = await ownerCall(context, 'answer_permission', { permissionId, inputHash, decision, ...given })
  const { status, permission } = answered
  if (status !== 'answered') throw noEffect(permission)
  if (json) return context.sayJson(answered)
  const lasting = permission.scope === 'once' ? '' : `, and from now on (${permission.scope})`
  context.say(`${decision === 'allow' ? 'Allowed' : 'Denied'}: ${permission.toolName} of ${permission.team}${lasting}.`)
}

function scopeOf(text: string): PermissionScope {
  const { data } = PermissionScope.safeParse(text)
  if (data !== undefined) return data
  throw new IrisError('invalid_input', `There is no scope "${text}".`, `Scopes: ${permissionScopes.join(', ')}.`)
}

function inputOf(json: string): Record<string, unknown> {
  try {
    const input: unknown = JSON.parse(json)
    if (isRecord(input)) return input
  } catch {}
  throw new IrisError('invalid_input', '--input is not a JSON object.', `Write it like '{"command":"ls"}'.`)
}

function named(prefix: string, permissions: readonly PermissionView[]): PermissionView {
  const found = permissions.filter(({ permissionId }) => permissionId.startsWith(prefix))
  if (found.length === 1) return found[0]!
  const remedy = 'Run "iris permissions" to see the waiting permission requests.'
  if (found.length === 0)
    throw new IrisError('unknown_permission', `There is no permission request "${prefix}".`, remedy)
  throw new IrisError(
    'unknown_permission',
    `${found.length} permission requests begin with "${prefix}".`,
    'Give more characters of the id.',
  )
}

function noEffect(permission: PermissionView): IrisError {
  const { state, decidedBy, message } = permission
  const how =
    state === 'allowed' || state === 'denied'
      ? `was already ${state} by ${decidedBy}`
      : `has ended: ${message ?? 'nobody is waiting for it any more'}`
  const what = `Request ${shortId(permission.permissionId)} ${how.replace(/\.$/, '')}. Your answer has no effect.`
  return new IrisError('unknown_permission', what, 'If the agent still needs it, it will ask again.')
}
