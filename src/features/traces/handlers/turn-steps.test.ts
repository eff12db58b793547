import { expect, test } from 'vitest'
import type { TracedTurn } from '../contract.ts'
import { turnSteps } from './turn-steps.ts'

const cancelled = {
  from: 'external',
  to: 'backend',
  acceptedAt: 1,
  settledAt: 2,
  status: 'cancelled',
  reason: 'cancelled',
  firstAt: null,
  deliveredAt: null,
  startedAt: null,
  detail: null,
  continuedAt: [],
  tools: [],
  permissions: [],
} as unknown as TracedTurn

test.each([
  [{}, 'Iris accepted your message for backend.', 'It ended: cancelled.'],
  [{ from: 'mobile' }, 'Iris accepted the message of mobile for backend.', 'It ended: cancelled.'],
  [
    { status: 'failed', reason: 'queue_timeout', detail: 'It waited too long.' },
    'Iris accepted your message for backend.',
    'It ended: failed (queue_timeout). It waited too long.',
  ],
])('the steps of a message that ends with %j', (more, accepted, ended) => {
  const texts = turnSteps({ ...cancelled, ...more } as TracedTurn, []).map(({ text }) => text)
  expect([texts[0], texts.at(-1)]).toEqual([accepted, ended])
})
