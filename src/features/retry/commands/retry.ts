import type { Input } from '../../../adapters/client/tool-call.ts'
import { openLiveLine } from '../../../app/cli/ask/live-line.ts'
import { messageText, newestMessage } from '../../../app/cli/ask/newest-message.ts'
import { showAnswer } from '../../../app/cli/ask/show-answer.ts'
import { call } from '../../../app/cli/call.ts'
import { isChosen } from '../../../app/cli/prompt.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { shortId } from '../../../base/lib/short-id.ts'

/** Sends a failed message again, and shows the answer as it grows. */
export async function retry({ context, input, options, json }: Given): Promise<number | undefined> {
  const named = input as Partial<Input<'retry_message'>>
  const failed = named.turnId === undefined ? await newestMessage(context, 'failed') : undefined
  if (failed !== undefined && !(await isChosen(context, `Send it once more? ${messageText(failed)}`))) return undefined
  using screen = openLiveLine(context, json)
  const turnId = named.turnId ?? failed!.turnId
  const accepted = await call(context, 'retry_message', { ...named, turnId })
  if (options['async'] !== true) return await showAnswer(context, accepted, { timeoutMs: 0, json, screen })
  if (json) context.sayJson(accepted)
  else context.say(accepted.turnId)
  if (!json) context.note(`Collect the answer with "iris result ${shortId(accepted.turnId)}".`)
  return undefined
}
