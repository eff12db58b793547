import { expect, test } from 'vitest'
import { IrisError } from '../../../base/protocol/error.ts'
import type { Batch } from './frame.ts'
import { toServerSentEvents } from './sse.ts'

async function* failing(error: Error): AsyncGenerator<Batch, void> {
  yield [{ type: 'snapshot', json: '{}' }]
  throw error
}

test('a refusal ends the stream after what was sent, and is no fault for the log', async () => {
  const refused = new IrisError('too_many_calls', 'Too many calls.', 'Try again in 1 s.')
  const answer = toServerSentEvents(failing(refused), () => {})
  expect(await answer.text()).toBe('event: snapshot\ndata: {}\n\n')
})

test('a fault of Iris is one for the log', async () => {
  const answer = toServerSentEvents(failing(new TypeError('undefined is no function')), () => {})
  await expect(answer.text()).rejects.toThrow('undefined is no function')
})
