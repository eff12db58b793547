import { expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { turnParts } from './turn-parts.ts'

const assistant = (...content: object[]): Line => ({ type: 'assistant', message: { content } })
const user = (...content: object[]): Line => ({ type: 'user', message: { content } })
const delta = (text: string): Line => ({ type: 'stream_event', event: { delta: { type: 'text_delta', text } } })
const parts = (...lines: Line[]) => turnParts(lines, () => undefined)

test('a tool has the result that names it, with what is no text by its kind', () => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { file: id } })
  const result = (id: string, content: unknown, more: object = {}) => ({
    type: 'tool_result',
    tool_use_id: id,
    content,
    ...more,
  })
  const found = parts(
    assistant(use('a'), use('b'), use('c')),
    user(result('b', [{ type: 'text', text: 'two' }, { type: 'image' }])),
    user(result('a', 'one', { is_error: true }), result('elsewhere', 'x')),
  )
  expect(found).toMatchObject([
    { kind: 'tool', toolUseId: 'a', result: { text: 'one', isError: true } },
    { kind: 'tool', toolUseId: 'b', result: { text: 'two\n[image]', isError: false } },
    { kind: 'tool', toolUseId: 'c', result: undefined },
  ])
})

test('what is being written stands at the end until its message is there', () => {
  const text = { type: 'text', text: 'Hello' }
  expect(parts(delta('Hel'), delta('lo'))).toEqual([{ kind: 'text', text: 'Hello', isUnfinished: true }])
  expect(parts(delta('Hel'), delta('lo'), assistant(text))).toEqual([text].map(({ text }) => ({ kind: 'text', text })))
})

test('what is being thought stands there too, until it is thought', () => {
  const thinking = (thought: string): Line => ({
    type: 'stream_event',
    event: { delta: { type: 'thinking_delta', thinking: thought } },
  })
  const thought = { type: 'thinking', thinking: 'I must look.' }
  expect(parts(thinking('I must'), thinking(' look.'))).toEqual([
    { kind: 'thinking', text: 'I must look.', isUnfinished: true },
  ])
  expect(parts(thinking('I must look.'), assistant(thought), delta('Hel'))).toEqual([
    { kind: 'thinking', text: 'I must look.' },
    { kind: 'text', text: 'Hel', isUnfinished: true },
  ])
})

test('what a subagent did says within which tool use; a second delivery, a compaction and a refusal of the API are told', () => {
  const echo = (uuid: string): Line => ({ type: 'user', uuid, isReplay: true, message: { content: 'x' } })
  const compacted = { pre_tokens: 900, post_tokens: 100 }
  const found = parts(
    echo('one'),
    { ...assistant({ type: 'text', text: 'inner' }), parent_tool_use_id: 'task' },
    { type: 'system', subtype: 'compact_boundary', compact_metadata: compacted },
    { type: 'system', subtype: 'compact_boundary', compactMetadata: { preTokens: 900, postTokens: 100 } },
    { type: 'system', subtype: 'api_retry', error_status: 529, error: 'overloaded', attempt: 1, max_retries: 10 },
    echo('again'),
  )
  expect(found).toEqual([
    { kind: 'text', text: 'inner', within: 'task' },
    { kind: 'compaction', beforeTokens: 900, afterTokens: 100 },
    { kind: 'compaction', beforeTokens: 900, afterTokens: 100 },
    { kind: 'note', text: expect.stringContaining('529') },
    { kind: 'continued' },
  ])
})
