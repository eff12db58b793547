import type { Input } from '../../../adapters/client/tool-call.ts'
import { speakerText, usualSpeaker } from '../../../app/cli/ask/speaker.ts'
import { call } from '../../../app/cli/call.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { noticeLines } from '../../conversations/commands/session-lines.ts'

/** Leaves a notice for a team, from the same default sender as `iris tell`. */
export async function notify({ context, input, json }: Given): Promise<void> {
  const given = input as Input<'notify'>
  const fromTeam = given.fromTeam ?? (await usualSpeaker(context, given.toTeam))
  if (fromTeam !== undefined && given.fromTeam === undefined) context.aside(speakerText(fromTeam))
  const left = await call(context, 'notify', { ...given, ...(fromTeam !== undefined && { fromTeam }) })
  if (json) context.sayJson(left)
  else for (const line of noticeLines(left)) context.say(line)
}
