import { expect, test } from 'vitest'
import { progressText } from './progress.ts'

const system = (subtype: string, fields: object = {}) => ({ type: 'system', subtype, ...fields })
const uses = (...names: string[]) => ({
  type: 'assistant',
  message: { content: [{ type: 'text', text: 'so' }, ...names.map((name) => ({ type: 'tool_use', id: name, name }))] },
})
const retry = { attempt: 2, max_retries: 10, retry_delay_ms: 1500, error_status: 529, error: 'overloaded' }

test.each([
  ['the beginning', system('init'), 'Claude Code has begun to work on it.'],
  ['tools', uses('Read', 'Bash'), 'Uses Read, Bash.'],
  ['a refusal', system('api_retry', retry), "The model's API refuses (529, overloaded); try 2 of 10 follows in 2 s."],
  [
    'no answer of the API',
    system('api_retry', { error_status: null, attempt: 1 }),
    "The model's API refuses (no answer, unknown); try 1 of unknown follows.",
  ],
  [
    'the beginning of a subagent',
    system('task_started', { task_type: 'local_agent', description: 'look' }),
    'Subagent begins: look.',
  ],
  [
    'what a subagent does',
    system('task_progress', { description: 'Reading a', usage: { tool_uses: 3 } }),
    'Subagent: Reading a (tools used: 3).',
  ],
  [
    'what a workflow does, of which no tools are counted',
    system('task_progress', { summary: 'look around' }),
    'Subagent: look around.',
  ],
])('a waiting caller is told of %s', (_, line, text) => {
  expect(progressText(line)).toBe(text)
})

test.each([
  ['text', uses()],
  [
    'a command, which tells of itself by its tool',
    system('task_started', { task_type: 'local_bash', description: 'x' }),
  ],
  ['the end of a task', system('task_updated', { patch: { status: 'completed' } })],
  ['what came back of a tool', { type: 'user', message: { content: [] } }],
])('and of nothing by %s', (_, line) => {
  expect(progressText(line)).toBeUndefined()
})
