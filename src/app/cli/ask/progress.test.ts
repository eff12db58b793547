import { expect, test } from 'vitest'
import type { StreamEvent } from '../daemon-events.ts'
import { localTime } from '../moment.ts'
import { Progress } from './progress.ts'

const pair = { from: 'frontend', to: 'backend', thread: 'main', sessionId: 's' }
const it = { ...pair, turnId: 'mine', sequence: 1, at: 1000 }
const other = { ...it, turnId: 'other' }

function progress(...events: readonly object[]): Progress {
  const shown = new Progress({ turnId: 'mine', ...pair })
  for (const event of events) shown.take(event as StreamEvent, 1000)
  return shown
}

const snapshot = (session: object, turns: readonly object[] = []) => ({
  type: 'snapshot',
  turns,
  teams: [
    {
      name: 'backend',
      config: { path: '/projects/backend' },
      sessions: [{ ...pair, messageCount: 0, queueLength: 0, processState: 'stopped', ...session }],
    },
  ],
})
const settled = (turnId: string, queuedMs: number | null) => ({ ...it, type: 'turn-settled', turnId, queuedMs })
const uses = (name: string, input: object) => ({
  ...it,
  type: 'turn-message',
  message: { type: 'assistant', message: { content: [{ type: 'tool_use', name, input }] } },
})
const retry = {
  ...it,
  type: 'turn-message',
  message: {
    type: 'system',
    subtype: 'api_retry',
    attempt: 3,
    max_retries: 10,
    error_status: 401,
    error: 'authentication_failed',
  },
}
const limited = { type: 'account-limited', team: 'backend', window: 'five_hour', until: 3_600_000 }
const limitedText = `over its five-hour limit until ${localTime(limited.until)}`
const delivered = { ...it, type: 'turn-delivered' }

test.each([
  ['nobody is awake', [snapshot({})], 'waking backend'],
  ['its process starts', [snapshot({ processState: 'spawning' }, [it])], 'waking backend'],
  ['it is found at work', [snapshot({ processState: 'processing' }, [it])], 'working 6 s'],
  ['others are before it', [snapshot({ queueLength: 2, processState: 'processing' })], 'queued (2 ahead of you)'],
  ['the event says how many', [{ ...it, type: 'turn-accepted', ahead: 3 }, settled('a', 5)], 'queued (2 ahead of you)'],
  ['one that waited was ended', [{ ...it, type: 'turn-accepted', ahead: 3 }, settled('a', null)], 'queued'],
  [
    'the stream starts over',
    [snapshot({ queueLength: 2, processState: 'processing' }), snapshot({ queueLength: 4 })],
    'queued',
  ],
  ['a person has it', [snapshot({ heldBy: 7 })], 'backend is open elsewhere: the message waits'],
  ['another is delivered', [snapshot({}), { ...other, type: 'turn-delivered' }], 'waking backend'],
  ['it is worked on', [snapshot({}), delivered], 'working 6 s'],
  [
    'a file is read',
    [snapshot({}), delivered, uses('Read', { file_path: '/projects/backend/src/api.ts' })],
    'working 6 s, Read src/api.ts',
  ],
  ['its account is over its limit', [snapshot({ queueLength: 2 }), limited], limitedText],
  ['it meets the limit at work', [snapshot({}), delivered, limited], limitedText],
  ['the account of another team is over its limit', [snapshot({}), { ...limited, team: 'mobile' }], 'waking backend'],
  ['it works on below the limit', [delivered, limited, uses('WebSearch', {})], 'working 6 s, WebSearch'],
  [
    'the API refuses',
    [delivered, retry],
    "working 6 s, The model's API refuses (401, authentication_failed); Claude Code tries again, try 3 of 10",
  ],
  ['it meets the limit and tries again', [delivered, limited, retry], limitedText],
  ['text comes', [delivered, { ...it, type: 'turn-text', at: 0, text: 'An' }], 'working 6 s'],
  [
    'it asks',
    [delivered, { type: 'permission:request', permission: { permissionId: 'p', turnId: 'mine' } }],
    'waiting for you',
  ],
  [
    'the answer is given',
    [
      delivered,
      { type: 'permission:request', permission: { permissionId: 'p', turnId: 'mine' } },
      { type: 'permission:resolved', permission: { permissionId: 'p', turnId: 'mine' } },
    ],
    'working 6 s',
  ],
])('when %s', (_what, events, text) => {
  expect(progress(...events).text(7000)).toBe(text)
})

test('while text comes there is no line', () => {
  expect(progress(delivered, { ...it, type: 'turn-text', at: 0, text: 'An' }).text(1100)).toBeUndefined()
})
