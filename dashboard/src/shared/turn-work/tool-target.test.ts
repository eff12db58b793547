import { expect, test } from 'vitest'
import { askedTurn, toolTarget } from './tool-target.ts'

test.each([
  ['{"file_path":"/src/api.ts","limit":3}', '/src/api.ts'],
  ['{"command":"npm test\\n  -- x","description":"runs"}', 'npm test -- x'],
  ['{"toTeam":"backend","message":"Which fields?"}', 'backend'],
  ['{"file_path":"/src/a \\"b\\".ts","content":"cut he', '/src/a "b".ts'],
  ['{"limit":3}', ''],
  ['no JSON', ''],
])('of the input %s it names %s', (input, target) => {
  expect(toolTarget(input)).toBe(target)
})

test('an ask of another team leads to its turn, whatever else a tool brings back does not', () => {
  const result = '{"status":"completed","turnId":"3f2a9c01-0000-4000-8000-000000000001"}'
  expect(askedTurn('mcp__iris__send_message', result)).toBe('3f2a9c01-0000-4000-8000-000000000001')
  expect(askedTurn('Read', result)).toBeUndefined()
  expect(askedTurn('mcp__iris__send_message', undefined)).toBeUndefined()
})
