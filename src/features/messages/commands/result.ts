import type { Input } from '../../../adapters/client/tool-call.ts'
import { openLiveLine } from '../../../app/cli/ask/live-line.ts'
import { withNewest } from '../../../app/cli/ask/newest-message.ts'
import { showAnswer } from '../../../app/cli/ask/show-answer.ts'
import { call } from '../../../app/cli/call.ts'
import type { Given } from '../../../app/cli/table/spec.ts'

/** Shows the state of an earlier message at once, or waits for its answer with a timeout. */
export async function result({ context, input, json }: Given): Promise<number> {
  const {
    turnId,
    timeout = -1,
    from,
    everything,
  } = await withNewest(context, input as Partial<Input<'message_status'>>)
  using screen = timeout === -1 || from !== undefined ? undefined : openLiveLine(context, json)
  // The live line needs the whole id and the pair; without a wait there is no live line.
  const message = screen === undefined ? { turnId } : await call(context, 'message_status', { turnId })
  return await showAnswer(context, message, { timeoutMs: timeout, json, screen, from, everything })
}
