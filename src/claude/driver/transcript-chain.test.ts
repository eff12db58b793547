import { describe, expect, test } from 'vitest'
import { isLastAnswer, leavesAnswerOut, resumesWith } from './transcript-chain.ts'

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

describe('a process that resumes', () => {
  const asked = (uuid: string, parentUuid: string) =>
    entry('user', uuid, parentUuid, { message: { content: '<iris-message from="a" to="b" thread="main">\nx' } })
  const leaf = (leafUuid: string) => ({ type: 'last-prompt', leafUuid })
  const use = entry('assistant', 'use', 'm', { message: { stop_reason: 'tool_use' } })
  const lines = [...past, asked('m', 'a2'), use]
  const cases: Readonly<Record<string, readonly [readonly object[], boolean]>> = {
    'has a message that leads to the last entry': [lines, true],
    'has it if the named entry comes before it, as after a crash of 2.1.330': [[leaf('a2'), ...lines], true],
    'has it if another branch is named that holds it': [[...lines, entry('user', 'next', 'm'), leaf('use')], true],
    'may not have it where another branch is named, as 2.1.197 resumes that': [
      [...past, entry('assistant', 'cut', 'q2'), asked('m', 'a2'), use, leaf('cut')],
      false,
    ],
    'may not have it where nobody knows the named entry': [[...lines, leaf('lost')], false],
    'has none from before a compaction': [
      [...lines, entry('system', 'b', 'use', { subtype: 'compact_boundary' }), entry('user', 'summary', 'b')],
      false,
    ],
    'has none that is on another branch': [[...lines, entry('user', 'other', 'a2')], false],
    'has none of which a delivery only spoke': [[...past, entry('user', 'm', 'a2')], false],
    'has none where the file is empty': [[], false],
  }
  test.each(Object.entries(cases))('%s', (_what, [of, holds]) => {
    expect(resumesWith(of as never, new Set(['m', 'm2']))).toBe(holds)
  })
})

test('an answer is the last thing said unless a message, a report or other work comes after it', () => {
  const said = (type: string, uuid: string, text: string, more: object = {}) =>
    entry(type, uuid, null, { message: { content: [{ type: 'text', text }], stop_reason: 'end_turn' }, ...more })
  const tool = entry('user', 'result', null, { message: { content: [{ type: 'tool_result', content: 'x' }] } })
  const lines = [said('user', 'm', 'x'), said('assistant', 'use', 'I look.'), tool, said('assistant', 'a', 'It is so.')]
  expect(isLastAnswer(lines, 'm')).toBe(true)
  expect(isLastAnswer([...lines, { type: 'last-prompt' }, entry('attachment', 'date', 'a')], 'm')).toBe(true)
  expect(isLastAnswer([...lines, said('user', 'aside', 'x', { isSidechain: true })], 'm')).toBe(true)
  expect(isLastAnswer([...lines, said('user', 'next', 'Forget it.')], 'm')).toBe(false)
  expect(isLastAnswer([...lines, said('user', 'n', '<task-notification>'), said('assistant', 'b', 'x')], 'm')).toBe(
    false,
  )
  expect(isLastAnswer(lines.slice(0, 3), 'm')).toBe(false)
  expect(isLastAnswer(lines, 'other')).toBe(false)
})
