import { expect, test } from 'vitest'
import { fieldsText, isAbout } from './log-entry.ts'

const turnId = '1f2e3d4c-0000-4000-8000-000000000000'

test('fields are shown short: the pair first, ids by their first characters, durations and cost with their units', () => {
  const ids = { sessionId: turnId, pair: 'a→b', queuedMs: 4, durationMs: 1250, costUsd: 0.06434300000000001 }
  expect(fieldsText({ ...ids, messageCount: 7, reason: null, teamsAdded: [], keys: ['a', 'b'] })).toBe(
    'a→b session=1f2e3d4c queued=4ms duration=1.25s cost=$0.0643 messageCount=7 keys=a,b',
  )
  const tokens = { inputTokens: 3, cacheReadTokens: 40, cacheWriteTokens: 5, outputTokens: 7 }
  expect(fieldsText({ pair: 'a→b', ...tokens })).toBe('a→b in=48 out=7')
  expect(fieldsText({})).toBe('')
})

test('an entry is found by the first characters of an id, and by text in its fields', () => {
  const entry = { context: 'orchestrator', message: 'Message accepted', ids: { pair: 'a→b (plan)', turnId } }
  expect(isAbout({ session: '1f2e3d4c' }, entry)).toBe(true)
  expect(isAbout({ text: 'ACCEPTED' }, entry)).toBe(true)
  expect(isAbout({ text: '1f2e' }, entry)).toBe(true)
  expect(isAbout({ text: '1f2f' }, entry)).toBe(false)
  expect(isAbout({ team: 'b' }, entry)).toBe(true)
})
