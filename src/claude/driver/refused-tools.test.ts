import { expect, test } from 'vitest'
import { RefusedTools } from './refused-tools.ts'

const used = (id: string) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: '/p/.env' } }] },
})
const ended = (id: string, isError: boolean) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: isError, content: 'said' }] },
})
const denied = (reason: string) => ({
  type: 'system',
  subtype: 'permission_denied',
  tool_name: 'Bash',
  tool_use_id: 'a',
  decision_reason_type: reason,
  message: 'Permission to use Bash has been denied.',
})

test('a tool that fails before a hook is asked about it may have been refused by a rule', () => {
  const tools = new RefusedTools()
  expect(tools.take(used('a'))).toEqual([])
  const input = { file_path: '/p/.env' }
  expect(tools.take(ended('a', true))).toEqual([{ toolName: 'Read', toolUseId: 'a', input, why: undefined }])
  // The tool use has already ended.
  expect(tools.take(ended('a', true))).toEqual([])
})

test('a tool that ended well, or that the hook was asked about, was not', () => {
  const tools = new RefusedTools()
  tools.take(used('well'))
  expect(tools.take(ended('well', false))).toEqual([])
  // The hook may be asked before or after the use is printed.
  tools.isAsked('before')
  tools.take(used('before'))
  tools.take(used('after'))
  tools.isAsked('after')
  expect([tools.take(ended('before', true)), tools.take(ended('after', true))]).toEqual([[], []])
})

test.each([
  ['rule', true],
  ['subcommandResults', true],
  // Denials by Iris's hook or by a person, which are recorded elsewhere.
  ['hook', false],
  ['permissionPromptTool', false],
])('a denial because of %s is reported: %s', (reason, isReported) => {
  const why = 'Permission to use Bash has been denied.'
  const reported = isReported ? [{ toolName: 'Bash', toolUseId: 'a', input: undefined, why }] : []
  expect(new RefusedTools().take(denied(reason))).toEqual(reported)
})
