import { expect, test } from 'vitest'
import { leavesAnswerOut } from './transcript-chain.ts'

const entry = (type: string, uuid: string, parentUuid: string | null, more: object = {}) => ({
  type,
  uuid,
  parentUuid,
  ...(type === 'assistant' && { message: { stop_reason: 'end_turn' } }),
  ...more,
})
const past = [
  entry('user', 'q1', null),
  entry('assistant', 'a1', 'q1'),
  entry('user', 'q2', 'a1'),
  entry('assistant', 'a2', 'q2'),
]

test('a conversation that goes on from its last answer holds it', () => {
  expect(leavesAnswerOut(past, 'q2')).toBe(false)
  expect(leavesAnswerOut([...past, entry('user', 'q3', 'a2'), entry('assistant', 'a3', 'q3')], 'q2')).toBe(false)
})

test('one that goes on from before it, or from its message, has left it out', () => {
  expect(leavesAnswerOut([...past, entry('user', 'q3', 'a1')], 'q2')).toBe(true)
  expect(leavesAnswerOut([...past, entry('assistant', 'stub', 'q2'), entry('user', 'q3', 'stub')], 'q2')).toBe(true)
})

test('a compaction joins what is before it to what is after it', () => {
  const boundary = entry('system', 'b', null, { logicalParentUuid: 'a2' })
  expect(leavesAnswerOut([...past, boundary, entry('user', 'summary', 'b')], 'q2')).toBe(false)
})

test('where it cannot be known nothing is claimed: no such message, no answer to it, a chain with a gap', () => {
  expect(leavesAnswerOut(past, 'q9')).toBe(false)
  expect(leavesAnswerOut([entry('user', 'q1', null), entry('user', 'q2', null)], 'q1')).toBe(false)
  expect(leavesAnswerOut([...past, entry('user', 'q3', 'lost')], 'q2')).toBe(false)
})

test('an answer that waited for the background is left out where its report is, though its first words are not', () => {
  const user = (uuid: string, parentUuid: string, more: object) => entry('user', uuid, parentUuid, more)
  const launch = { type: 'tool_result', tool_use_id: 't1' }
  const news = '<task-notification><tool-use-id>t1</tool-use-id><status>completed</status>'
  const turn = [
    entry('user', 'q1', null),
    user('launch', 'q1', { message: { content: [launch] }, toolUseResult: { isAsync: true } }),
    entry('assistant', 'interim', 'launch'),
    user('news', 'interim', { message: { content: news } }),
    entry('assistant', 'report', 'news'),
  ]
  expect(leavesAnswerOut(turn, 'q1')).toBe(false)
  expect(leavesAnswerOut([...turn, entry('user', 'q2', 'interim')], 'q1')).toBe(true)
  expect(leavesAnswerOut([...turn, entry('user', 'q2', 'report')], 'q1')).toBe(false)
})
