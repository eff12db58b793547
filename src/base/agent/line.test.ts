import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  blocks,
  echoedUuid,
  isSign,
  jsonOf,
  lengthOf,
  parseLine,
  textDelta,
  textOf,
  toolResults,
  toolUseIds,
} from './line.ts'

test.each([
  'Update available!',
  '{"type":"result"',
  '{"no":"type"}',
  '{"type":7}',
  '["type"]',
  'null',
  '"type"',
  '',
  `{"type":"deep","a":${'['.repeat(501)}${']'.repeat(501)}}`,
])('%j is no message', (text) => {
  expect(parseLine(text)).toBeUndefined()
})

test('any object with a type is one, with all that stands in it', () => {
  fc.assert(
    fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (type, rest) => {
      const text = JSON.stringify({ ...rest, type })
      expect(JSON.stringify(parseLine(text))).toBe(text)
    }),
  )
})

test('__proto__ in a message is a field like any other', () => {
  const line = parseLine('{"type":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
  expect(line).not.toHaveProperty('polluted')
  expect({}).not.toHaveProperty('polluted')
})

const assistant = {
  type: 'assistant',
  message: {
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'one ' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: {} },
      { type: 'from_the_future', text: 'unsaid' },
      { type: 'text', text: 'two' },
    ],
  },
}

test('the text and the tools of a message are read from its blocks', () => {
  expect(textOf(assistant)).toBe('one two')
  expect(toolUseIds(assistant)).toEqual(['t1'])
  expect(toolUseIds({ ...assistant, type: 'user' })).toEqual([])
  const user = { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] } }
  expect(toolResults(user)).toEqual([{ toolUseId: 't1', isError: false }])
  expect(textOf({ type: 'user', message: { content: 'plain' } })).toBe('plain')
})

test.each([
  {},
  { message: null },
  { message: 'text' },
  { message: { content: 7 } },
  { message: { content: [null, 1] } },
])('a message without proper content has no blocks: %j', (fields) => {
  expect(blocks({ type: 'assistant', ...fields })).toEqual([])
})

test('an echo names its message; nothing else does', () => {
  expect(echoedUuid({ type: 'user', isReplay: true, uuid: 'u1' })).toBe('u1')
  expect(echoedUuid({ type: 'user', uuid: 'u1' })).toBeUndefined()
  expect(echoedUuid({ type: 'assistant', isReplay: true, uuid: 'u1' })).toBeUndefined()
  expect(echoedUuid({ type: 'user', isReplay: true })).toBeUndefined()
})

test('text that is being written comes in deltas, a subagent’s does not count', () => {
  const delta = {
    type: 'stream_event',
    event: { type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } },
  }
  expect(textDelta(delta)).toBe('a')
  expect(textDelta({ ...delta, parent_tool_use_id: 'toolu_1' })).toBe('')
  expect(textDelta({ ...delta, event: { delta: { type: 'thinking_delta', thinking: 'a' } } })).toBe('')
  expect(textDelta({ type: 'stream_event' })).toBe('')
})

test('a long line keeps its text, to be written without being made again', () => {
  const text = JSON.stringify({ type: 'user', message: { content: 'x'.repeat(300_000) } })
  const long = parseLine(` ${text} `)!
  expect(jsonOf(long)).toBe(text)
  expect(lengthOf(long)).toBe(2 * (text.length + 2))
  expect(Object.keys(long)).toEqual(['type', 'message'])
  const short = parseLine('{ "type": "user" }')!
  expect([jsonOf(short), lengthOf(short)]).toEqual(['{"type":"user"}', 18])
})

const mcpMessage = (method: string) => ({
  type: 'control_request',
  request_id: 'r1',
  request: { subtype: 'mcp_message', server_name: 'iris', message: { method, jsonrpc: '2.0', id: 1 } },
})

test.each([
  { type: 'assistant' },
  { type: 'system', subtype: 'init' },
  { type: 'control_request', request_id: 'r1', request: { subtype: 'hook_callback' } },
  { type: 'control_request', request_id: 'r1', request: { subtype: 'can_use_tool' } },
  mcpMessage('tools/call'),
])('%j shows that a turn makes progress', (line) => {
  expect(isSign(line)).toBe(true)
})

test.each([
  { type: 'control_response' },
  { type: 'tool_progress', heartbeat: true },
  mcpMessage('initialize'),
  mcpMessage('notifications/initialized'),
  mcpMessage('tools/list'),
])('%j does not: it may arrive before the turn begins, or while a tool hangs', (line) => {
  expect(isSign(line)).toBe(false)
})
