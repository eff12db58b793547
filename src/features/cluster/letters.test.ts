import { expect, test } from 'vitest'
import { readBounded } from './bounds.ts'
import { hostEntryOf, readEntry } from './host-entry.ts'
import {
  AskLetter,
  CancelLetter,
  EndLetter,
  LacksLetter,
  MovedLetter,
  ReportedLetter,
  readLetter,
  readLines,
  TakenLetter,
} from './letters.ts'

const turn = '00000000-0000-4000-8000-000000000001'
const ask = {
  wire: 1,
  from: 'frontend',
  to: 'backend',
  thread: 'main',
  message: 'Hello?',
  waits: false,
  hop: 1,
  chain: [],
}
const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costUsd: 0.5 }
const end = {
  outcome: 'completed',
  reason: null,
  detail: null,
  answer: 'Done.',
  value: null,
  partial: null,
  usage,
  background: null,
  contextReset: null,
}
const entry = { wire: 1, version: '1.0.0', key: 'k', leaseMs: 4000, teams: [{ name: 'backend' }] }
/** JSON has no Infinity, but a number that becomes it. */
const json = (value: unknown): string => JSON.stringify(value).replaceAll('"∞"', '1e999')

test('what hosts say to each other is read', () => {
  expect(readLetter(AskLetter, json(ask))).toEqual(ask)
  expect(readLetter(EndLetter, json(end))).toEqual(end)
  expect(readEntry(json(entry))).toEqual({ value: entry, cuts: [] })
})

test.each([
  ['an ask to a long name', AskLetter, { ...ask, to: 'x'.repeat(101) }],
  ['an ask with a long role', AskLetter, { ...ask, role: 'x'.repeat(101) }],
  ['an ask of a negative version', AskLetter, { ...ask, wire: -1 }],
  ['an ask very far down', AskLetter, { ...ask, hop: 1e9 }],
  ['an ask with a notice before all time', AskLetter, { ...ask, notices: [{ text: 'x', leftAt: -1 }] }],
  ['an ask with a negative budget', AskLetter, { ...ask, budget: { cost: -1 } }],
  ['an ask with a budget without end', AskLetter, { ...ask, budget: { cost: '∞' } }],
  ['an ask with a schema of 2 MB', AskLetter, { ...ask, responseSchema: { title: 'x'.repeat(2e6) } }],
  [
    'an ask with a place before all records',
    AskLetter,
    { ...ask, known: { host: 'studio', place: { log: 'x', record: -1 } } },
  ],
  ['an ask that is known by no host', AskLetter, { ...ask, known: { host: 'studio.>' } }],
  ['an answer of 17 MB', EndLetter, { ...end, answer: 'x'.repeat(17 * 2 ** 20) }],
  ['a move to no host', MovedLetter, { to: 'studio.>' }],
  ['a report without a text', ReportedLetter, { reports: [{ uuid: 'u', text: '', kind: 'said' }] }],
])('%s is refused as a whole', (_what, schema, letter) => {
  expect(readLetter<unknown>(schema, json(letter))).toBeUndefined()
})

test.each([
  { costUsd: -1000 },
  { costUsd: '∞' },
  { inputTokens: -5 },
  { outputTokens: 1e300 },
  { cacheReadTokens: '∞' },
  { contextWindow: -1 },
  { model: '\u001b[2J' },
])('usage that would widen a budget counts as none, and the answer counts: %j', (changes) => {
  const { value, cuts } = readBounded(EndLetter, json({ ...end, usage: { ...usage, ...changes } }))
  expect(value).toEqual({ ...end, usage: null })
  expect(cuts).toEqual(['its usage was out of bounds and left out'])
  const report = { uuid: 'u', text: 'Later.', kind: 'said', usage: { ...usage, ...changes } }
  expect(readLetter(ReportedLetter, json({ reports: [report] }))?.reports).toEqual([{ ...report, usage: null }])
})

test('a place in a log that is out of bounds is left out, and the turn is taken', () => {
  const begun = { log: 'x'.repeat(101), record: '∞' }
  expect(readLetter(TakenLetter, json({ begun }))).toEqual({ begun: undefined })
  expect(readLetter(LacksLetter, json({ why: 'x'.repeat(5000) }))?.why).toHaveLength(1000)
})

test('commands in the background since before all time are left out, and reasons are cut', () => {
  const background = [{ command: 'make', since: -1 }]
  expect(readLetter(EndLetter, json({ ...end, background }))?.background).toBeNull()
  const { detail } = readLetter(CancelLetter, json({ detail: 'x'.repeat(500_000) }))!
  expect(detail).toHaveLength(10_000)
})

test.each([
  ['negative usage', { type: 'assistant', message: { usage: { output_tokens: -5 } } }],
  ['usage without end', { type: 'assistant', message: { usage: { output_tokens: '∞' } } }],
  ['a negative delay', { type: 'system', subtype: 'api_retry', retry_delay_ms: -1 }],
  ['a negative count', { type: 'system', subtype: 'task_progress', usage: { tool_uses: -1 } }],
  ['1 000 levels', { type: 'user', message: JSON.parse('['.repeat(1000) + ']'.repeat(1000)) }],
  ['a long type', { type: 'x'.repeat(101) }],
])('a live line with %s is refused with its text', (_what, line) => {
  expect(readLines(json({ turn, n: 0, lines: [line] })).value).toBeUndefined()
})

test('a live line has any other numbers', () => {
  const input = { timeout: -1, at: [-0.5] }
  const line = { type: 'assistant', message: { content: [{ type: 'tool_use', input }], usage: { output_tokens: 5 } } }
  expect(readLines(json({ turn, n: 0, lines: [line] })).value?.lines).toEqual([line])
  expect(readLines(json({ turn, n: -1, lines: [line] })).value).toBeUndefined()
  expect(readLines(' '.repeat(9 * 2 ** 20) + json({ turn, n: 0, lines: [line] })).value).toBeUndefined()
})

test.each([
  ['a negative load', { load: { turns: -1, processes: 0 } }],
  ['a load without end', { load: { turns: 1, processes: '∞' } }],
  ['a version that writes to terminals', { version: '\u001b[2J' }],
  ['more teams than a host has', { teams: Array.from({ length: 1001 }, (_, at) => ({ name: `team${at}` })) }],
  ['more hosts than a team has', { teams: [{ name: 'a', hosts: Array.from({ length: 101 }, (_, at) => `h${at}`) }] }],
  ['600 kB', { mood: 'x'.repeat(600_000) }],
])('an announcement with %s is refused as a whole', (_what, changes) => {
  expect(hostEntryOf(json({ ...entry, ...changes }))).toBeUndefined()
})

test('a description of 500 kB is cut, and a color that is none is left out', () => {
  const teams = [{ name: 'backend', description: 'é'.repeat(500_000), color: '\u001b[2J' }]
  const { value, cuts } = readEntry(json({ ...entry, teams }))
  expect(value?.teams).toEqual([{ name: 'backend', description: 'é'.repeat(300), color: undefined }])
  expect(cuts).toEqual(['a description was cut after 300 characters', 'a color was out of bounds and left out'])
})
