import type { Environment } from '../../config/home.ts'
import type { PermissionView } from '../../protocol/operations/permissions.ts'
import { ownerCall } from '../call.ts'
import { askText, type Choice, choose } from '../prompt.ts'
import { say } from '../say.ts'
import { linesOf, shortOf } from './permission-lines.ts'

type Decision = 'once' | 'session' | 'pair' | 'always' | 'deny' | 'skip'

/** Shows one question after the other, those that come meanwhile too, until none waits or the person leaves. */
export async function decideAll(env: Environment, team: string | undefined): Promise<void> {
  const skipped = new Set<string>()
  for (;;) {
    const { permissions, now } = await ownerCall(env, 'list_permissions', { ...(team !== undefined && { team }) })
    const next = permissions.toReversed().find(({ permissionId }) => !skipped.has(permissionId))
    if (next === undefined) return say(skipped.size === 0 ? 'No question waits for you.' : 'The rest waits on.')
    say(`${linesOf(next, now).join('\n')}\n`)
    const decision = await choose<Decision>(`May ${next.team} use ${next.toolName}?`, choicesFor(next))
    if (decision === undefined) return
    if (decision === 'skip') skipped.add(next.permissionId)
    else if (!(await answer(env, next, decision))) return
  }
}

function choicesFor({ rule }: PermissionView): readonly Choice<Decision>[] {
  const lasting: readonly Choice<Decision>[] = [
    { value: 'session', label: 'Yes, and the same again in this conversation', hint: rule ?? '' },
    { value: 'pair', label: 'Yes, and the same again between these two', hint: rule ?? '' },
    { value: 'always', label: 'Yes, always: write the rule to config.yaml', hint: rule ?? '' },
  ]
  return [
    { value: 'once', label: 'Yes, this once' },
    ...(rule === null ? [] : lasting),
    { value: 'deny', label: 'No' },
    { value: 'skip', label: 'Later' },
  ]
}

/** False when the person left before it was given. */
async function answer(
  env: Environment,
  permission: PermissionView,
  decision: Exclude<Decision, 'skip'>,
): Promise<boolean> {
  const { permissionId, inputHash, toolName, team } = permission
  const given = { permissionId, inputHash }
  if (decision === 'deny') {
    const message = await askText('Why not? The agent is told (may stay empty).')
    if (message === undefined) return false
    const { status } = await ownerCall(env, 'answer_permission', {
      ...given,
      decision: 'deny',
      ...(message !== '' && { message }),
    })
    say(outcome(status, `Denied: ${toolName} of ${team}.`, permission))
    return true
  }
  const { status } = await ownerCall(env, 'answer_permission', { ...given, decision: 'allow', scope: decision })
  say(outcome(status, `Allowed: ${toolName} of ${team}.`, permission))
  return true
}

function outcome(status: string, done: string, permission: PermissionView): string {
  return status === 'answered'
    ? done
    : `Question ${shortOf(permission)} was decided already; your answer has no effect.`
}
