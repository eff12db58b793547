import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { JsonRpcMessage } from './json-rpc.ts'
import { askPatiently } from './patience.ts'

const never = new AbortController().signal
const done: JsonRpcMessage = { jsonrpc: '2.0', id: 1, result: { structuredContent: {} } }

function refused(retryAfterMs: number, code = 'too_many_calls'): JsonRpcMessage {
  const error = { code, message: 'no', remedy: 'wait', retryAfterMs }
  return {
    jsonrpc: '2.0',
    id: 1,
    result: { isError: true, content: [{ type: 'text', text: JSON.stringify({ error }) }] },
  }
}

/** The result of a call that gets these answers, and the times at which it was made. */
async function asked(...answers: readonly JsonRpcMessage[]) {
  const clock = new FakeClock()
  const began = clock.elapsed()
  const times: number[] = []
  const ask = async (): Promise<JsonRpcMessage> => {
    times.push(clock.elapsed() - began)
    return answers[Math.min(times.length, answers.length) - 1]!
  }
  let isOver = false
  const answer = askPatiently(ask, clock, never).finally(() => (isOver = true))
  for (let ms = 0; ms < 60_000 && !isOver; ms += 20) await clock.advance(20)
  return { answer: await answer, times }
}

test('a refusal that is over in a moment is waited for', async () => {
  expect(await asked(refused(80), refused(20), done)).toEqual({ answer: done, times: [0, 80, 100] })
})

test('one by JSON-RPC too, as for what is no call of a tool', async () => {
  const error = { code: -32_000, message: 'no', data: { code: 'too_many_calls', retryAfterMs: 40 } }
  expect(await asked({ jsonrpc: '2.0', id: 1, error }, done)).toEqual({ answer: done, times: [0, 40] })
})

test.each([
  ['that takes longer', refused(2001)],
  ['of another kind', refused(20, 'queue_full')],
  ['without a text', { jsonrpc: '2.0', id: 1, result: { isError: true, content: [] } } as const],
])('a refusal %s is the answer', async (_what, refusal) => {
  expect(await asked(refusal, done)).toEqual({ answer: refusal, times: [0] })
})

test('a call that is refused again and again ends', async () => {
  const { answer, times } = await asked(refused(2000))
  expect(answer).toEqual(refused(2000))
  expect(times).toHaveLength(8)
})
