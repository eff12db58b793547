import type { Input } from '../../../adapters/client/tool-call.ts'
import { openLiveLine } from '../ask/live-line.ts'
import { showAnswer } from '../ask/show-answer.ts'
import { call } from '../call.ts'
import type { Given } from '../command/spec.ts'

/** The answer to an earlier message: at once as it stands, with a timeout when it has come. */
export async function result({ env, input, json }: Given): Promise<number> {
  const { turnId, timeout = -1 } = input as Input<'message_status'>
  using screen = timeout === -1 ? undefined : openLiveLine(env, json)
  // Who only looks is shown no line; who waits names it by its whole id.
  const message = screen === undefined ? { turnId } : await call(env, 'message_status', { turnId })
  return await showAnswer(env, message, { timeoutMs: timeout, json, screen })
}
