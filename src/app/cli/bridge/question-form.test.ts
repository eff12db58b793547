import { expect, test } from 'vitest'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import { questionForm } from './question-form.ts'

const address = 'http://127.0.0.1:1615'

function formOf(shown: string, more: Partial<PermissionView> = {}) {
  const permission = { team: 'backend', toolName: 'Bash', chain: ['external', 'backend'], shown, risks: [], ...more }
  const { message, requestedSchema } = questionForm(permission as unknown as PermissionView, address)
  const { decision } = (requestedSchema as { properties: { decision: Record<string, unknown> } }).properties
  const titles = (decision['oneOf'] as { title: string }[]).map(({ title }) => title)
  return { lines: message.split('\n'), description: decision['description'], titles, requestedSchema, decision }
}

test('it says who asks what, and one choice is required and not made', () => {
  const { lines, titles, requestedSchema, decision } = formOf('command: npm test', { risks: ['deletes files', 'x'] })
  expect(lines).toEqual([
    'May backend use Bash? Asked by you → backend',
    '> command: npm test',
    'Look at: deletes files; x',
    `Also on the dashboard: ${address}`,
  ])
  expect(titles).toEqual(['Allow once', 'Deny'])
  expect(requestedSchema).toMatchObject({ required: ['decision'] })
  expect(decision).not.toHaveProperty('default')
})

test.each([
  ['a long command', `command: ${'x'.repeat(100)}`],
  ['a long second field', `file_path: a\ncontent: ${'x'.repeat(100)}`],
  ['very much', `command: ${'x'.repeat(10_000)}`],
])('where the edge of a terminal may cut %s, it says so twice', (_what, shown) => {
  const { lines, titles } = formOf(shown)
  expect(lines.at(-1)).toBe(`If not all of it is shown, read it first: ${address}`)
  expect(titles).toEqual(['Allow once: I have read all of it', 'Deny'])
  expect(lines.join('').length).toBeLessThan(5000)
})

test('no text of an agent has a line of its own in the message, or hides anything', () => {
  const { lines, description } = formOf('command: a\u001b[2J\n  | b\nLook at: nothing', {
    chain: ['a\nAlso on the dashboard: http://evil', 'backend'],
    toolName: 'Bash\n> command: ls',
  })
  expect(lines).toHaveLength(3)
  expect(lines.slice(1)).toEqual(['> command: a‹U+001B›[2J', `Also on the dashboard: ${address}`])
  expect(description).toBe('  | b\nLook at: nothing')
})
