import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { placeAt, placeCursor } from '../../../base/operation/place-cursor.ts'
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
  { state = 'pending', team, limit = 100, cursor }: In<typeof listPermissions>,
  _call: Call,
  parts: PermissionsParts,
): Out<typeof listPermissions> {
  const { questions, clock } = parts
  knownParticipants([team], parts)
  const found = questions.list({
    state,
    team,
    limit: limit + 1,
    after: cursor === undefined ? undefined : placeAt(cursor),
  })
  const permissions = found.slice(0, limit)
  const last = permissions.at(-1)
  return {
    permissions,
    ...(found.length > limit && last && { nextCursor: placeCursor(last.decidedAt ?? last.askedAt, last.permissionId) }),
    now: clock.now(),
  }
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
