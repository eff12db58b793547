import type { Input } from '../../../adapters/client/tool-call.ts'
import { openLiveLine } from '../ask/live-line.ts'
import { shortOf, showAnswer } from '../ask/show-answer.ts'
import { call } from '../call.ts'
import { note, say, sayJson } from '../say.ts'
import type { Given } from '../table/spec.ts'

/** Sends a message that failed once more, and shows the answer as it grows. */
export async function retry({ env, input, options, json }: Given): Promise<number | undefined> {
  using screen = openLiveLine(env, json)
  const accepted = await call(env, 'retry_message', input as Input<'retry_message'>)
  if (options['async'] !== true) return await showAnswer(env, accepted, { timeoutMs: 0, json, screen })
  if (json) sayJson(accepted)
  else say(accepted.turnId)
  if (!json) note(`Collect the answer with "iris result ${shortOf(accepted.turnId)}".`)
  return undefined
}
