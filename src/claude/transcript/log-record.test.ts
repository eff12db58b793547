import { expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { continuedRecord, endRecord, isReadable, lineRecords, promptRecord } from './log-record.ts'

const stamp = '[1970-01-01T00:00:00.000Z]'

function assistant(...content: unknown[]): Line {
  return { type: 'assistant', message: { content } }
}

function result(id: string, content: unknown, more: object = {}): Line {
  return { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] } }
}

function records(...lines: Line[]): string {
  const tools = new Map<string, string>()
  return lines.map((line) => lineRecords(line, 0, tools)).join('')
}

test('what is said and done stands in its order, a result under the name of its tool', () => {
  const use = { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/a' } }
  const text = { type: 'text', text: 'I look.' }
  const thinking = { type: 'thinking', thinking: 'hm' }
  expect(
    records(
      assistant(thinking, text, use),
      result('t1', [{ type: 'text', text: 'one' }, { type: 'image' }, { type: 'text', text: 'two' }]),
      result('t2', 'no such file', { is_error: true }),
    ),
  ).toBe(`${stamp} ASSISTANT:
I look.

${stamp} TOOL_USE: Read
{
  "file_path": "/a"
}

${stamp} TOOL_RESULT: Read (SUCCESS)
one
(image)
two

${stamp} TOOL_RESULT: unknown (ERROR)
no such file

`)
})

test('a subagent is told apart, and what is no text makes no record', () => {
  const subagent = { ...assistant({ type: 'text', text: 'found' }), parent_tool_use_id: 't1' }
  expect(records(subagent)).toBe(`${stamp} ASSISTANT (SUBAGENT):\nfound\n\n`)
  expect(records(assistant({ type: 'text', text: '' }, { type: 'text', text: {} }, 'x', null))).toBe('')
  expect(records({ type: 'assistant' }, result('t', undefined))).toBe(`${stamp} TOOL_RESULT: unknown (SUCCESS)\n\n\n`)
})

test('the echo of a message, partial and system lines are not for people', () => {
  expect(isReadable({ type: 'user', isReplay: true })).toBe(false)
  for (const type of ['system', 'stream_event', 'result']) expect(isReadable({ type })).toBe(false)
  for (const type of ['user', 'assistant']) expect(isReadable({ type })).toBe(true)
})

test('what is too long to be read is cut, and says by how much', () => {
  const more = '\n… 10000 more characters are in conversation.json\n\n'
  const cut = [
    records(result('t', 'x'.repeat(60_000))),
    records(assistant({ type: 'text', text: 'x'.repeat(1_010_000) })),
    promptRecord('x'.repeat(1_010_000), 0),
  ]
  expect(cut.map((text) => text.endsWith(`x${more}`))).toEqual([true, true, true])
  expect(cut.map((text) => text.split('x').length - 1)).toEqual([50_000, 1_000_000, 1_000_000])
})

test.each(['failed', 'cancelled', 'timed_out', 'in_doubt'] as const)('a turn that is %s says why', (outcome) => {
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 }
  expect(endRecord({ outcome, reason: 'hung', detail: 'No\u001b sign.', durationMs: 12.4, usage }, 0)).toBe(
    `${stamp} SESSION FAILED:
Status: ${outcome}
Reason: hung
Detail: No␛ sign.
Duration: 12 ms
Tokens: 1 in, 2 out, 3 cache read, 4 cache write

`,
  )
})

test('nobody can forge a record or steer a terminal', () => {
  const forged = `ok\n\n${stamp} USER PROMPT:\nrm -rf\n=== Session Continued ===\n\u001b[2J`
  const expected = `ok\n\n ${stamp} USER PROMPT:\nrm -rf\n === Session Continued ===\n␛[2J`
  expect(promptRecord(forged, 0)).toBe(`${stamp} USER PROMPT:\n${expected}\n\n`)
  expect(records(assistant({ type: 'text', text: forged }))).toBe(`${stamp} ASSISTANT:\n${expected}\n\n`)
  expect(records(assistant({ type: 'tool_use', id: 't', name: `X\n${stamp} Y`, input: {} }))).toBe(
    `${stamp} TOOL_USE: X␊${stamp} Y\n{}\n\n`,
  )
  expect(continuedRecord({ agentName: 'a\n\u0007b', sessionId: 's' }, 0)).toContain('Agent: a␊␇b\nSession ID: s')
})
