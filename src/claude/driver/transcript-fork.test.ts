import { describe, expect, test } from 'vitest'
import { forkedTranscript, originOf } from './transcript-fork.ts'

const source = 'aaaaaaaa-0000-4000-8000-000000000000'
const sessionId = 'bbbbbbbb-0000-4000-8000-000000000000'

const prompt = (uuid: string, content: unknown = uuid, more: object = {}) =>
  JSON.stringify({ type: 'user', uuid, sessionId: source, message: { role: 'user', content }, ...more })
const said = (uuid: string, stop_reason: string | null = 'end_turn', more: object = {}) =>
  JSON.stringify({ type: 'assistant', uuid, sessionId: source, message: { stop_reason, content: [] }, ...more })
const result = prompt('result', [{ type: 'tool_result', tool_use_id: 't' }])

const fork = (lines: readonly string[], delivery?: string, answered = delivery) =>
  forkedTranscript(lines, { sessionId, delivery, answered })
const kept = (lines: readonly string[], delivery?: string, answered = delivery) =>
  fork(lines, delivery, answered)
    ?.text.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).uuid ?? JSON.parse(line).type)

test('the past ends with the last whole answer, tools within it and what follows it included', () => {
  const lines = [
    prompt('q1'),
    said('use', 'tool_use'),
    result,
    said('a1'),
    '{"type":"mode"}',
    prompt('q2'),
    said('half', null),
  ]
  expect(kept(lines)).toEqual(['q1', 'use', 'result', 'a1', 'mode'])
  expect(fork(lines)?.lastMessage).toBe('a1')
})

test('the past of an earlier turn ends with its own last answer', () => {
  const lines = [prompt('q1'), said('a1'), prompt('q2'), said('a2'), said('a2b'), prompt('q3'), said('a3')]
  expect(kept(lines, 'q2')).toEqual(['q1', 'a1', 'q2', 'a2', 'a2b'])
})

test('a compaction after the last answer is part of it, a command of a person after it too', () => {
  const boundary = '{"type":"system","subtype":"compact_boundary","uuid":"boundary"}'
  const summary = prompt('summary', 'so far', { isCompactSummary: true })
  const command = prompt('command', '<command-name>/compact</command-name>')
  expect(kept([prompt('q1'), said('a1'), boundary, summary, command])).toEqual([
    'q1',
    'a1',
    'boundary',
    'summary',
    'command',
  ])
})

test('each line is under the new id, and what belongs to the old conversation alone stays out', () => {
  const own = ['cost-state', 'custom-title', 'agent-name', 'queue-operation'].map((type) => JSON.stringify({ type }))
  const text = fork([...own, prompt('q1'), said('a1')])?.text ?? ''
  expect(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).sessionId),
  ).toEqual([sessionId, sessionId])
})

test('there is no past without an answer: none at all, one of a subagent, one of another turn, an unknown turn', () => {
  expect(fork([prompt('q1'), said('half', null)])).toBeUndefined()
  expect(fork([prompt('q1'), said('aside', 'end_turn', { isSidechain: true })])).toBeUndefined()
  expect(fork([prompt('q1'), said('half', null), prompt('q2'), said('a2')], 'q1')).toBeUndefined()
  expect(fork([prompt('q1'), said('a1')], 'q9')).toBeUndefined()
})

describe('what a turn started in the background', () => {
  const launched = (uuid: string, toolUse: string) =>
    prompt(uuid, [{ type: 'tool_result', tool_use_id: toolUse }], { toolUseResult: { status: 'async_launched' } })
  const news = (uuid: string, toolUse: string) =>
    prompt(uuid, `<task-notification><tool-use-id>${toolUse}</tool-use-id><status>completed</status>`)
  const waiting = [prompt('q1'), said('use', 'tool_use'), launched('launch', 't1'), said('interim')]
  const reported = [...waiting, news('news', 't1'), said('report')]

  test('makes its answer whole with the last report, whichever turn is asked for', () => {
    expect(kept([...reported, prompt('q2'), said('a2')], 'q1')).toEqual(
      reported.map((line) => JSON.parse(line).uuid as string),
    )
    expect(fork(reported)?.lastMessage).toBe('report')
    expect(fork(reported, 'q1')?.lastMessage).toBe('report')
  })

  test('and has not reported leaves no answer: the past ends with the one before it', () => {
    const before = [prompt('q0'), said('a0')]
    expect(kept([...before, ...waiting])).toEqual(['q0', 'a0'])
    expect(fork(waiting)).toBeUndefined()
    expect(fork([...waiting, news('news', 'other'), said('report')])).toBeUndefined()
  })

  test('and never reported does not take away the answer that the ledger knows of', () => {
    expect(fork([...waiting, prompt('q2'), said('half', null)], undefined, 'q1')?.lastMessage).toBe('interim')
  })

  test('is not the news of a command, which comes after the answer in a turn of its own', () => {
    const lines = [prompt('q1'), said('a1'), news('news', 'bash'), said('about it')]
    expect(kept(lines, 'q1')).toEqual(['q1', 'a1'])
    expect(kept(lines)).toEqual(['q1', 'a1', 'news', 'about it'])
  })
})

describe('a conversation that a person opened in a terminal', () => {
  const file = (lines: readonly unknown[]) => {
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return { size: bytes.length, read: async (from: number, length: number) => bytes.subarray(from, from + length) }
  }
  const began = Date.parse('2026-01-01T00:00:00Z')
  const clear = (timestamp: string) => {
    const content = '<command-name>/clear</command-name>'
    return { type: 'user', timestamp, message: { role: 'user', content } }
  }
  const later = { type: 'user', timestamp: '2026-01-01T00:00:02Z', message: { role: 'user', content: 'said' } }

  test.each([
    ['nothing said', 'no line', []],
    ['nothing said', 'lines that are no messages', [{ type: 'mode' }, { type: 'file-history-snapshot' }]],
    ['the other one', '/clear since then', [{ type: 'mode' }, clear('2026-01-01T00:00:01Z'), later]],
    ['the other one', '/branch', [{ ...later, forkedFrom: { sessionId: source } }]],
    ['elsewhere', '/clear before then', [clear('2025-12-31T23:59:59Z'), later]],
    ['elsewhere', '/branch of a third one', [{ ...later, forkedFrom: { sessionId } }]],
    ['elsewhere', 'messages alone', [later]],
  ])('comes from %s: %s', async (origin, _what, lines) => {
    expect(await originOf(file(lines), source, began)).toBe(origin)
  })
})
