import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type KnownParticipantsParts, knownParticipants } from '../../../kernel/call/known-participants.ts'
import type { answerPermission, listPermissions } from '../contract/permissions.ts'
import type { Questions } from '../questions.ts'

/** The dependencies of these operations. */
export interface PermissionsParts extends KnownParticipantsParts {
  readonly clock: Clock
  readonly questions: Questions
}

type In<Operation extends { input: z.ZodType }> = z.output<Operation['input']>
type Out<Operation extends { output: z.ZodType }> = z.output<Operation['output']>

export function list(
  { state = 'pending', team, limit = 100 }: In<typeof listPermissions>,
  _call: Call,
  parts: PermissionsParts,
): Out<typeof listPermissions> {
  const { questions, clock } = parts
  knownParticipants([team], parts)
  return { permissions: questions.list({ state, team, limit }), now: clock.now() }
}

export async function answer(
  { permissionId, answeredIn, ...decision }: In<typeof answerPermission>,
  { auth }: Call,
  { questions }: PermissionsParts,
): Promise<Out<typeof answerPermission>> {
  const by = answeredIn === undefined ? auth.principal.kind : `${auth.principal.kind}, in ${answeredIn}`
  const { status, permission, remembered } = questions.answer(permissionId, { ...decision, by })
  await remembered
  return { status, permission }
}
