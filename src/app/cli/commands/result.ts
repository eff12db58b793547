import type { Input } from '../../../adapters/client/tool-call.ts'
import { showAnswer } from '../ask/show-answer.ts'
import type { Given } from '../command/spec.ts'

/** The answer to an earlier message: at once as it stands, with a timeout when it has come. */
export function result({ env, input, json }: Given): Promise<number> {
  const { turnId, timeout = -1 } = input as Input<'message_status'>
  return showAnswer(env, turnId, { timeoutMs: timeout, json })
}
