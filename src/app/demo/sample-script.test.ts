import { expect, test } from 'vitest'
import { parseConversation } from './conversation.ts'
import { MessagesBody } from './messages-api.ts'
import { questions, sampleScript } from './sample-script.ts'
import type { ModelRequest } from './script.ts'

const api = "1\texport const port = 4711\n2\t  { method: 'POST', path: '/o', does: 'creates an order' },"

/** Asks the script as Claude Code does, with these messages. */
function answer(...messages: object[]): unknown {
  const system = '# Environment\n - Primary working directory: /p/back end\n - Platform: linux'
  const body = MessagesBody.parse({ model: 'm', max_tokens: 1, system, messages })
  return sampleScript({ body, conversation: parseConversation(body) } as ModelRequest)
}

function asked(text: string): object {
  return {
    role: 'user',
    content: `<iris-message from="frontend" to="backend" thread="main">\n${text}\n</iris-message>`,
  }
}

function read(text: string, isError = false): object[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: text, is_error: isError }] },
  ]
}

test('it reads the file where Claude Code works, and answers with what came back', () => {
  expect(answer(asked(questions.first))).toMatchObject({
    toolUses: [{ name: 'Read', input: { file_path: '/p/back end/src/api.ts' } }],
  })
  expect(answer(asked(questions.first), ...read(api))).toEqual({
    text: 'My API listens on port 4711. POST /o creates an order. I read that in src/api.ts.',
  })
})

test('a file that cannot be read is no answer', () => {
  expect(answer(asked(questions.first), ...read('File does not exist.', true))).toEqual({
    text: 'I could not read src/api.ts: File does not exist.',
  })
})

test('what it remembers comes from the history it is sent', () => {
  const told = { role: 'assistant', content: 'My API listens on port 4711.' }
  const history = [asked(questions.first), ...read(api), told]
  expect(answer(...history, asked(questions.second))).toEqual({ text: `You first asked: “${questions.first}”` })
  expect(answer(...history, asked(questions.third))).toMatchObject({ text: expect.stringContaining('Port 4711.') })
  expect(answer(...history, asked(questions.fourth))).toEqual({
    toolUses: [{ name: 'mcp__iris__return_value', input: { value: { port: 4711 } } }],
  })
  expect(answer(asked(questions.second))).toEqual({ text: 'This is the first thing you ask me in this conversation.' })
  expect(answer(asked(questions.third))).toEqual({ text: 'I do not remember telling you any port.' })
})
