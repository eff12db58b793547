import type { Output } from '../../../adapters/client/tool-call.ts'
import { ownerCall } from '../../../app/cli/call.ts'
import { columns } from '../../../app/cli/columns.ts'
import { localTime } from '../../../app/cli/moment.ts'
import type { Given } from '../../../app/cli/table/spec.ts'

/** Prints the token alone, so that it can be piped; everything else is a note. */
export async function createToken({ context, input, json }: Given): Promise<void> {
  const made = await ownerCall(context, 'create_token', input as never)
  if (json) return context.sayJson(made)
  context.say(made.token)
  const rights = made.role === undefined ? '' : `, with the role ${made.role}`
  context.note(
    `This is the only time it is shown. ${made.asker} may ask ${made.teams.join(', ')}${rights}${endText(made.until)}.`,
  )
  if (made.address !== undefined) context.note(`It is valid only at ${made.address}.`)
  if (made.warning !== undefined) context.note(made.warning)
}

export async function rotateToken({ context, input, json }: Given): Promise<void> {
  const made = await ownerCall(context, 'rotate_token', input as never)
  if (json) return context.sayJson(made)
  context.say(made.token)
  const earlier =
    made.earlierUntil === undefined
      ? 'The old token no longer works.'
      : `The old token works until ${localTime(made.earlierUntil)}.`
  context.note(`This is the only time it is shown. ${earlier}`)
}

export function tokenLines(
  { tokens, sharedUsedAt, sharedUsedBy = 'a program' }: Output<'list_tokens'>,
  width: number,
): readonly string[] {
  if (tokens.length === 0) return ['No program has a token of its own. "iris token create" makes one.']
  const rows = tokens.map(
    ({ program, role, teams, callbacks, calls, address, until, isExpired, earlierUntil, usedAt }) => [
      program,
      `asks ${teams.join(', ')}`,
      role === undefined ? 'any role' : `role ${role}`,
      callbacks === undefined ? '' : `callbacks ${callbacks.join(', ')}`,
      calls === undefined ? '' : `${calls} calls a minute`,
      address ?? 'this machine',
      isExpired ? 'expired' : until === undefined ? 'until revoked' : `until ${localTime(until)}`,
      earlierUntil === undefined ? '' : `the earlier one until ${localTime(earlierUntil)}`,
      usedAt === undefined ? 'never used' : `last used ${localTime(usedAt)}`,
    ],
  )
  const shared =
    sharedUsedAt === undefined
      ? []
      : [`The token of all programs: ${sharedUsedBy} used it on ${localTime(sharedUsedAt)}.`]
  return [...columns(width, rows), ...shared]
}

export function revokedLines({ program }: Output<'revoke_token'>): readonly string[] {
  return [`The tokens of ${program} no longer work. Its conversations are kept.`]
}

function endText(until: number | undefined): string {
  return until === undefined ? ', until you revoke it' : `, until ${localTime(until)}`
}
