import { z } from 'zod'
import { Instant } from '../../base/operation/instant.ts'
import { operation } from '../../base/operation/operation.ts'
import { journalTypes } from '../../base/protocol/journal.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const callback = z.string().min(1).max(40).describe('The name of the callback in config.yaml')
const count = z.number().int().nonnegative()

const Callback = z.object({
  callback: z.string(),
  host: z.string().describe('The host of its address; the rest of the address is not shown'),
  events: z.array(z.enum(journalTypes)),
  teams: z.array(z.string()).optional().describe('The teams whose messages may name it; absent: all'),
  include: z.enum(['status', 'answer']),
  offAt: Timestamp.optional().describe('When its endpoint said that it takes no more (410); absent: it is on'),
  isFailing: z.boolean().describe('Five events in a row were not taken, so one is tried at a time'),
  waiting: count.describe('Events that wait until they are taken'),
  failed: count.describe('Events that were given up'),
  dropped: count.describe(
    'Events that are not posted any more since more than 10 000 were not taken; counted since Iris started',
  ),
  oldestAt: Timestamp.optional().describe('When the oldest event that waits happened'),
  problem: z.string().optional().describe('Why the newest event was not taken'),
})

export const listCallbacks = operation({
  name: 'list_callbacks',
  routes: ['GET /api/callbacks'],
  title: 'List callbacks',
  description: 'Lists the callbacks of config.yaml, with how many events wait and why.',
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
  description: 'Posts one event of the type callback-test to a callback at once, and says how it was answered.',
  access: 'owner',
  isTool: false,
  input: z.object({ callback }),
  output: z.object({
    callback: z.string(),
    isTaken: z.boolean(),
    status: z.number().int().optional().describe('The HTTP status of an endpoint that took it'),
    problem: z.string().optional().describe('Why it was not taken'),
  }),
  readOnly: false,
})

export const replayCallback = operation({
  name: 'replay_callback',
  routes: ['POST /api/callbacks/{callback}/replay'],
  title: 'Post events to a callback again',
  description:
    'Posts all events of a callback since a time again, each with the webhook-id that it had. Events are kept for 30 days.',
  access: 'owner',
  isTool: false,
  input: z.object({
    callback,
    since: Instant.describe('Events since then'),
  }),
  output: z.object({
    callback: z.string(),
    events: count.describe('How many events of all callbacks there are since'),
  }),
  readOnly: false,
})

export const enableCallback = operation({
  name: 'enable_callback',
  routes: ['POST /api/callbacks/{callback}/enable'],
  title: 'Switch a callback on',
  description: 'Posts to a callback again that its endpoint switched off, and tries all that failed at once.',
  access: 'owner',
  isTool: false,
  input: z.object({ callback }),
  output: z.object({ callback: z.string(), waiting: count }),
  readOnly: false,
})
