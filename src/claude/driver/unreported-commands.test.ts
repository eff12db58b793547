import { expect, test } from 'vitest'
import { commandsWithoutReport } from './unreported-commands.ts'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const uses = (...ids: string[]) => ({
  type: 'assistant',
  message: { content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: { command: `run ${id}` } })) },
})
const news = (id: string, status = 'completed') =>
  `<task-notification>\n<tool-use-id>${id}</tool-use-id>\n<status>${status}</status>\n</task-notification>`
const announces = (id: string, status: string, seconds: number) => ({
  type: 'user',
  message: { content: news(id, status) },
  timestamp: at(seconds),
})

const says = (text: string, stop: string | null) => ({
  type: 'assistant',
  message: { content: text, stop_reason: stop },
})

async function unreported(lines: readonly object[], ids: readonly string[]): Promise<string[]> {
  const bytes = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))
  const read = async (position: number, length: number) => bytes.subarray(position, position + length)
  const found = await commandsWithoutReport({ read }, new Set(ids), 100_000)
  return [...found.values()].map(({ command, said }) => (said === undefined ? command : `${command}, said: ${said}`))
}

test('a command is announced in a line of its own, or in an attachment, not while that waits', async () => {
  const attachment = { type: 'attachment', attachment: { type: 'queued_command', prompt: news('b') } }
  const waiting = { type: 'queue-operation', operation: 'enqueue', content: news('c') }
  const lines = [
    uses('a', 'b', 'c', 'd'),
    announces('a', 'completed', 1),
    attachment,
    waiting,
    says('they ended', 'end_turn'),
  ]
  expect(await unreported(lines, ['a', 'b', 'c', 'd'])).toEqual(['run c', 'run d'])
  expect(await unreported(lines, ['a', 'b', 'd'])).toEqual(['run d'])
})

test('that it was killed counts as reported if a turn ended after that', async () => {
  const lines = [uses('a', 'b'), announces('a', 'killed', 99), says('', 'end_turn'), announces('b', 'killed', 101)]
  expect(await unreported(lines, ['a', 'b'])).toEqual(['run b'])
})

test('the turn that reported it had no end', async () => {
  const first = [uses('a'), announces('a', 'completed', 1)]
  expect(await unreported(first, ['a'])).toEqual(['run a, said: '])
  expect(await unreported([...first, says('looking', 'tool_use'), uses('b')], ['a'])).toEqual(['run a, said: looking'])
  expect(await unreported([...first, says('looking', 'tool_use'), says('it failed', 'end_turn')], ['a'])).toEqual([])
})
