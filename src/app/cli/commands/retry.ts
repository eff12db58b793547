import type { Input } from '../../../adapters/client/tool-call.ts'
import { shortOf, showAnswer } from '../ask/show-answer.ts'
import { call } from '../call.ts'
import type { Given } from '../command/spec.ts'
import { note, say, sayJson } from '../say.ts'

/** Sends a message that failed once more, and shows the answer as it comes. */
export async function retry({ env, input, options, json }: Given): Promise<number | undefined> {
  const accepted = await call(env, 'retry_message', input as Input<'retry_message'>)
  if (options['async'] !== true) return showAnswer(env, accepted.turnId, { timeoutMs: 0, json })
  if (json) sayJson(accepted)
  else say(accepted.turnId)
  if (!json) note(`Collect the answer with "iris result ${shortOf(accepted.turnId)}".`)
  return undefined
}
