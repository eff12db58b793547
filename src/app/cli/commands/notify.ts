import type { Input } from '../../../adapters/client/tool-call.ts'
import { speakerText, usualSpeaker } from '../ask/speaker.ts'
import { call } from '../call.ts'
import { note, say, sayJson } from '../say.ts'
import type { Given } from '../table/spec.ts'
import { noticeLines } from './session-lines.ts'

/** Leaves a notice for a team, from the same default sender as `iris tell`. */
export async function notify({ env, input, json }: Given): Promise<void> {
  const given = input as Input<'notify'>
  const fromTeam = given.fromTeam ?? (await usualSpeaker(env, given.toTeam))
  if (fromTeam !== undefined && given.fromTeam === undefined) note(speakerText(fromTeam))
  const left = await call(env, 'notify', { ...given, ...(fromTeam !== undefined && { fromTeam }) })
  if (json) sayJson(left)
  else for (const line of noticeLines(left)) say(line)
}
