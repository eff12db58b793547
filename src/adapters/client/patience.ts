import { type Clock, pause } from '../../base/lib/clock.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { JsonRpcMessage } from './json-rpc.ts'
import { parsed } from './send.ts'

/**
 * The longest wait that a refusal may ask for, and the longest that all waits of one call may take together, in
 * milliseconds.
 */
const maxMs = 2000
const maxInAllMs = 15_000

/**
 * Repeats a call that was refused as one too many, if another call will soon be allowed. This is safe, because a
 * refused call did nothing. If it takes too long, returns the last refusal. Throws what `ask` throws, and the signal's
 * reason.
 */
export async function askPatiently(
  ask: () => Promise<JsonRpcMessage>,
  clock: Clock,
  signal: AbortSignal,
): Promise<JsonRpcMessage> {
  const began = clock.elapsed()
  for (;;) {
    const answer = await ask()
    const waitMs = retryAfterOf(answer)
    if (waitMs === undefined || waitMs > maxMs) return answer
    if (clock.elapsed() - began + waitMs > maxInAllMs) return answer
    await pause(clock, waitMs, signal)
    signal.throwIfAborted()
  }
}

/** After how many milliseconds a call that was one too many may be repeated. Undefined for every other answer. */
function retryAfterOf({ result, error }: JsonRpcMessage): number | undefined {
  const refusal = error === undefined ? refusalIn(result) : error.data
  if (!isRecord(refusal) || refusal['code'] !== 'too_many_calls') return undefined
  return typeof refusal['retryAfterMs'] === 'number' ? refusal['retryAfterMs'] : undefined
}

function refusalIn(result: unknown): unknown {
  if (!isRecord(result) || result['isError'] !== true || !Array.isArray(result['content'])) return undefined
  const [block] = result['content']
  const told = isRecord(block) && typeof block['text'] === 'string' ? parsed(block['text']) : undefined
  return isRecord(told) ? told['error'] : undefined
}
