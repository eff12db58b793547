import { expect, test } from 'vitest'
import { parseConversation } from './conversation.ts'

const reminder = { type: 'text', text: '<system-reminder>\nnot his words\n</system-reminder>' }

test('texts of people, results of tools and remarks of Claude Code are told apart', () => {
  const conversation = parseConversation({
    model: 'claude-test',
    system: [{ type: 'text', text: 'be brief' }],
    tools: [{ name: 'Read' }, { name: 'mcp__iris__send_message' }],
    messages: [
      { role: 'user', content: [reminder, { type: 'text', text: 'first' }] },
      { role: 'system', content: 'environment' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'content of a' }, reminder] },
      { role: 'assistant', content: [{ type: 'text', text: 'answer' }] },
      { role: 'user', content: 'second' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't2', name: 'Read', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't2', is_error: true, content: [{ type: 'text', text: 'gone' }] },
        ],
      },
    ],
  })
  const gone = { toolUseId: 't2', name: 'Read', input: {}, text: 'gone', isError: true }
  expect(conversation).toEqual({
    userTexts: ['first', 'second'],
    lastUserText: 'second',
    earlierUserTexts: ['first'],
    assistantTexts: ['answer'],
    toolResults: [gone],
    allToolResults: [
      { toolUseId: 't1', name: 'Read', input: { file_path: 'a' }, text: 'content of a', isError: false },
      gone,
    ],
    step: 1,
    toolNames: ['Read', 'mcp__iris__send_message'],
    systemText: 'be brief\n\nenvironment',
  })
})

test('a new text begins at step 0 with no results, also in the message that holds the last ones', () => {
  const { step, toolResults } = parseConversation({
    model: 'claude-test',
    messages: [
      { role: 'user', content: 'first' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'x' },
          { type: 'text', text: 'second' },
        ],
      },
    ],
  })
  expect({ step, toolResults }).toEqual({ step: 0, toolResults: [] })
})

test('the end of a background task is a text, also where Claude Code writes it as a reminder', () => {
  const news = '<task-notification>\n<status>completed</status>\n</task-notification>'
  const content = [{ type: 'text', text: `<system-reminder>\nNOT USER INPUT\n${news}\n</system-reminder>` }]
  const { lastUserText } = parseConversation({ model: 'claude-test', messages: [{ role: 'user', content }] })
  expect(lastUserText).toBe(news)
})
