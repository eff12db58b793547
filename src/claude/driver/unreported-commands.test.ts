import { expect, test } from 'vitest'
import { commandsWithoutReport } from './unreported-commands.ts'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const uses = (...ids: string[]) => ({
  type: 'assistant',
  message: { content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: { command: `run ${id}` } })) },
})
const news = (id: string, status = 'completed') =>
  `<task-notification>\n<tool-use-id>${id}</tool-use-id>\n<status>${status}</status>\n</task-notification>`
const told = (id: string, status: string, seconds: number) => ({
  ...{ type: 'user', message: { content: news(id, status) }, timestamp: at(seconds) },
})

const says = (text: string, stop: string | null) => ({
  type: 'assistant',
  message: { content: text, stop_reason: stop },
})

async function notTold(lines: readonly object[], ids: readonly string[]): Promise<string[]> {
  const bytes = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))
  const read = async (position: number, length: number) => bytes.subarray(position, position + length)
  const found = await commandsWithoutReport({ read }, new Set(ids), 100_000)
  return [...found.values()].map(({ command, said }) => (said === undefined ? command : `${command}, told: ${said}`))
}

test('a command is told in a line of its own, or in an attachment, not while that waits', async () => {
  const attachment = { type: 'attachment', attachment: { type: 'queued_command', prompt: news('b') } }
  const waiting = { type: 'queue-operation', operation: 'enqueue', content: news('c') }
  const lines = [
    uses('a', 'b', 'c', 'd'),
    told('a', 'completed', 1),
    attachment,
    waiting,
    says('they ended', 'end_turn'),
  ]
  expect(await notTold(lines, ['a', 'b', 'c', 'd'])).toEqual(['run c', 'run d'])
  expect(await notTold(lines, ['a', 'b', 'd'])).toEqual(['run d'])
})

test('that it was killed counts as told if a turn ended after that', async () => {
  const lines = [uses('a', 'b'), told('a', 'killed', 99), says('', 'end_turn'), told('b', 'killed', 101)]
  expect(await notTold(lines, ['a', 'b'])).toEqual(['run b'])
})

test('the turn in which it was told had no end', async () => {
  const first = [uses('a'), told('a', 'completed', 1)]
  expect(await notTold(first, ['a'])).toEqual(['run a, told: '])
  expect(await notTold([...first, says('looking', 'tool_use'), uses('b')], ['a'])).toEqual(['run a, told: looking'])
  expect(await notTold([...first, says('looking', 'tool_use'), says('it failed', 'end_turn')], ['a'])).toEqual([])
})
