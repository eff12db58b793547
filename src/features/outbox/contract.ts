import { z } from 'zod'
import { Instant } from '../../base/operation/instant.ts'
import { operation } from '../../base/operation/operation.ts'
import { journalTypes } from '../../base/protocol/journal.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const callback = z.string().min(1).max(40).describe('The name of the callback in config.yaml')
const count = z.number().int().nonnegative()

const Callback = z.object({
  callback: z.string(),
  host: z.string().describe('The host in its address; the rest is not shown'),
  events: z.array(z.enum(journalTypes)),
  teams: z.array(z.string()).optional().describe('The teams whose messages may name it; absent: all'),
  include: z.enum(['status', 'answer']),
  offAt: Timestamp.optional().describe('When it was switched off, because its endpoint answered 410; absent: it is on'),
  isFailing: z.boolean().describe('Five events in a row were not accepted, so Iris tries one at a time'),
  waiting: count.describe('Events waiting to be accepted'),
  failed: count.describe('Events that Iris gave up on'),
  dropped: count.describe('Events dropped because more than 10,000 were waiting; counted since Iris started'),
  oldestAt: Timestamp.optional().describe('When the oldest waiting event happened'),
  nextTryAt: Timestamp.optional().describe('When the next waiting event is posted; absent: none waits for a time'),
  problem: z.string().optional().describe('Why the newest event was not accepted'),
})

export const listCallbacks = operation({
  name: 'list_callbacks',
  routes: ['GET /api/callbacks'],
  title: 'List callbacks',
  description: 'Lists the callbacks in config.yaml, how many events are waiting for each, and why.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({ callbacks: z.array(Callback) }),
  readOnly: true,
})

export const testCallback = operation({
  name: 'test_callback',
  routes: ['POST /api/callbacks/{callback}/test'],
  title: 'Post a test to a callback',
  description: "Posts one event of type callback-test to a callback at once, and returns the endpoint's response.",
  access: 'owner',
  isTool: false,
  input: z.object({ callback }),
  output: z.object({
    callback: z.string(),
    isTaken: z.boolean(),
    status: z.number().int().optional().describe('The HTTP status, if the endpoint accepted it'),
    problem: z.string().optional().describe('Why it was not accepted'),
  }),
  readOnly: false,
})

export const replayCallback = operation({
  name: 'replay_callback',
  routes: ['POST /api/callbacks/{callback}/replay'],
  title: 'Post events to a callback again',
  description:
    'Posts all events of a callback since a time again, each with its original webhook-id. Events are kept for 30 days.',
  access: 'owner',
  isTool: false,
  input: z.object({
    callback,
    since: Instant.describe('Post events since then'),
  }),
  output: z.object({
    callback: z.string(),
    events: count.describe('How many events have happened since then, for all callbacks'),
  }),
  readOnly: false,
})

export const enableCallback = operation({
  name: 'enable_callback',
  routes: ['POST /api/callbacks/{callback}/enable'],
  title: 'Switch a callback on',
  description: 'Switches a callback on again after its endpoint answered 410, and retries all failed events at once.',
  access: 'owner',
  isTool: false,
  input: z.object({ callback }),
  output: z.object({ callback: z.string(), waiting: count }),
  readOnly: false,
})
