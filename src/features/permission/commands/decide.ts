import { ownerCall } from '../../../app/cli/call.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { interrupted } from '../../../app/cli/exit-code.ts'
import { askText, type Choice, choose } from '../../../app/cli/prompt.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import type { PermissionScope, PermissionView } from '../../../base/protocol/permission-view.ts'
import { linesOf } from './permission-lines.ts'

export type Decision = PermissionScope | 'deny'

/** Asks one question after the other, including new ones, until no question is waiting or the person leaves. */
export async function decideAll(context: CommandContext, team: string | undefined): Promise<number | undefined> {
  const skipped = new Set<string>()
  for (;;) {
    const { permissions, now } = await ownerCall(context, 'list_permissions', { ...(team !== undefined && { team }) })
    const next = permissions.toReversed().find(({ permissionId }) => !skipped.has(permissionId))
    if (next === undefined) {
      context.say(
        skipped.size === 0 ? 'No permission request is waiting for you.' : 'The other requests are still waiting.',
      )
      return undefined
    }
    context.say(`${linesOf(next, now).join('\n')}\n`)
    const decision = await choose<Decision | 'skip'>(context, `May ${next.team} use ${next.toolName}?`, [
      ...choicesFor(next),
      { value: 'skip', label: 'Later' },
    ])
    if (decision === undefined) return interrupted
    if (decision === 'skip') skipped.add(next.permissionId)
    else if (!(await answer(context, next, decision))) return interrupted
  }
}

/** The possible answers to a question; lasting answers only if a rule covers exactly this use. */
export function choicesFor({ rule }: PermissionView): readonly Choice<Decision>[] {
  const lasting: readonly Choice<Decision>[] = [
    { value: 'session', label: 'Yes, and from now on in this conversation', hint: rule ?? '' },
    { value: 'pair', label: 'Yes, and from now on for this pair', hint: rule ?? '' },
    { value: 'always', label: 'Yes, always: write the rule to config.yaml', hint: rule ?? '' },
  ]
  return [{ value: 'once', label: 'Yes, this once' }, ...(rule === null ? [] : lasting), { value: 'deny', label: 'No' }]
}

/** For a denial, asks why; then answers. Returns false if the person left before answering. */
async function answer(context: CommandContext, permission: PermissionView, decision: Decision): Promise<boolean> {
  const reason =
    decision === 'deny' ? await askText(context, 'Why not? Your reason is sent to the agent (optional).') : ''
  if (reason === undefined) return false
  context.say(await decide(context, permission, decision, reason))
  return true
}

/** Answers a question for the input that was shown; resolves to a sentence. With a denial, the agent gets `reason`. */
export async function decide(
  context: CommandContext,
  permission: PermissionView,
  decision: Decision,
  reason: string,
): Promise<string> {
  const { permissionId, inputHash, toolName, team } = permission
  const denial = { decision: 'deny', ...(reason !== '' && { message: reason }) } as const
  const { status } = await ownerCall(context, 'answer_permission', {
    permissionId,
    inputHash,
    ...(decision === 'deny' ? denial : { decision: 'allow', scope: decision }),
  })
  if (status !== 'answered')
    return `Request ${shortId(permission.permissionId)} was already decided, so your answer has no effect.`
  return `${decision === 'deny' ? 'Denied' : 'Allowed'}: ${toolName} of ${team}.`
}
