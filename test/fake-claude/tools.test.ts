import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeClaude } from '../support/fake-claude.ts'
import { effects } from '../support/oracle.ts'
import { answerMcp, type Line } from './cli-driver.ts'
import { fakeHost } from './fake-host.ts'

/** A tool with an effect, and an answer that quotes what came back. */
const writing = (file: (name: string) => string) => ({
  rules: [
    {
      when: 'write',
      steps: [
        {
          tool: {
            name: 'Bash',
            input: { command: 'x' },
            output: 'done',
            during: [{ appendFile: { path: file('effect'), line: 'once' } }],
          },
        },
        { text: 'it said: {{lastToolResult}}' },
      ],
    },
  ],
})

test('a tool is asked about by the hook, then by the host, then it runs', async () => {
  using fake = fakeClaude({ script: writing })
  await using host = fakeHost(fake)
  await host.initialize()
  const result = await host.turn('write')
  expect(result).toMatchObject({ result: 'it said: done', permission_denials: [] })
  const asked = host.lines.flatMap((line) => (line.type === 'control_request' ? [line.request?.['subtype']] : []))
  expect(asked.filter((subtype) => subtype !== 'mcp_message')).toEqual(['hook_callback', 'can_use_tool'])
  expect(readFileSync(fake.file('effect'), 'utf8')).toBe('once\n')
  expect(effects(fake.oracle())).toMatchObject([{ line: 'once' }])
})

test.each([
  ['the hook denies', 'hook', { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } }],
  ['the host denies', 'permission', { behavior: 'deny', message: 'no' }],
])('a tool does not run when %s', async (_, who, answer) => {
  using fake = fakeClaude({ script: writing })
  await using host = fakeHost(fake, undefined, { [who]: () => answer })
  await host.initialize()
  const result = await host.turn('write')
  expect(result['result']).toMatch(/it said: .*no$/)
  expect(result['permission_denials']).toMatchObject([{ tool_name: 'Bash' }])
  expect(existsSync(fake.file('effect'))).toBe(false)
})

test('a tool runs with the input the host gives it', async () => {
  using fake = fakeClaude({
    script: { rules: [{ steps: [{ mcpCall: { name: 'shout', arguments: { word: 'no' } } }] }] },
  })
  const answers = { permission: () => ({ behavior: 'allow', updatedInput: { word: 'yes' } }) }
  await using host = fakeHost(fake, ['--session-id', randomUUID(), '--allowedTools', 'Read'], answers)
  await host.initialize()
  await host.turn('shout')
  expect(host.lines.find((line) => line['tool_use_result'] !== undefined)).toMatchObject({
    message: { content: [{ content: [{ type: 'text', text: 'YES!' }] }] },
  })
})

test('a call of an MCP tool goes through the pipe, and its result is told to the model', async () => {
  using fake = fakeClaude({
    script: {
      rules: [{ steps: [{ mcpCall: { name: 'shout', arguments: { word: 'hi' } } }, { text: '{{lastToolResult}}' }] }],
    },
  })
  await using host = fakeHost(fake)
  await host.initialize()
  expect(await host.turn('say hi')).toMatchObject({ result: 'HI!' })
  const call = await host.until((line) => methodOf(line) === 'tools/call')
  const used = host.lines.find((line) => line['tool_use_result'] !== undefined)
  const toolUseId = (used as { message: { content: { tool_use_id: string }[] } }).message.content[0]?.tool_use_id
  expect(call.request).toMatchObject({ message: { params: { _meta: { 'claudecode/toolUseId': toolUseId } } } })
  expect(host.lines.find((line) => line.subtype === 'init')?.['tools']).toContain('mcp__iris__shout')
  expect(host.lines.some((line) => line.request?.['subtype'] === 'can_use_tool')).toBe(false)
})

test('an interrupt withdraws what is open, ends the turn as an error, and the next message is clean', async () => {
  using fake = fakeClaude({ script: { rules: [{ when: 'call', steps: [{ mcpCall: { name: 'shout' } }] }] } })
  const silent = (message: Line) => (message['method'] === 'tools/call' ? undefined : answerMcp(message))
  await using host = fakeHost(fake, undefined, { mcp: silent })
  await host.initialize()
  host.message('call')
  await host.until((line) => methodOf(line) === 'tools/call')
  expect(await host.ask({ subtype: 'interrupt' })).toMatchObject({ response: { still_queued: [] } })
  await host.until((line) => line.type === 'result')
  expect(host.results[0]).toMatchObject({
    subtype: 'error_during_execution',
    is_error: true,
    terminal_reason: 'aborted_tools',
  })
  expect(host.lines.map(methodOf)).toContain('notifications/cancelled')
  expect(await host.turn('next')).toMatchObject({ result: 'echo: next', is_error: false })
})

test('an interrupt between words keeps what was said', async () => {
  using fake = fakeClaude({
    script: (file) => ({ rules: [{ steps: [{ partial: 'half' }, { waitForFile: file('never') }] }] }),
  })
  await using host = fakeHost(fake)
  host.message('talk')
  await host.until((line) => line.isReplay === true)
  await host.ask({ subtype: 'interrupt' })
  await host.until((line) => line.type === 'result')
  expect(host.results[0]).toMatchObject({ is_error: true, terminal_reason: 'aborted_streaming' })
  expect(host.lines.find((line) => line['aborted'] === true)).toMatchObject({
    message: { content: [{ text: 'half' }] },
  })
  expect(await host.end()).toBe(1)
})

test('control requests are answered while a tool runs; a waiting message can be cancelled', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      rules: [{ when: 'work', steps: [{ partial: '' }, { waitForFile: file('go') }, { text: 'worked' }] }],
    }),
  })
  await using host = fakeHost(fake)
  await host.initialize()
  host.message('work')
  await host.until((line) => line.isReplay === true)
  expect(await host.ask({ subtype: 'get_context_usage' })).toMatchObject({ subtype: 'success' })
  expect(await host.ask({ subtype: 'mcp_status' })).toMatchObject({
    response: { mcpServers: [{ name: 'iris', status: 'connected', tools: [{ name: 'shout' }] }] },
  })
  expect(await host.ask({ subtype: 'set_model', model: 'other' })).toMatchObject({ response: { model: 'other' } })
  expect(await host.ask({ subtype: 'set_permission_mode', mode: 'plan' })).toMatchObject({ response: { mode: 'plan' } })
  expect(await host.ask({ subtype: 'unheard' })).toMatchObject({ subtype: 'error', error: expect.any(String) })
  const message_uuid = host.message('never mind')
  expect(await host.ask({ subtype: 'cancel_async_message', message_uuid })).toMatchObject({
    response: { cancelled: true },
  })
  fake.open('go')
  await host.until((line) => line.type === 'result')
  expect(await host.end()).toBe(0)
  expect(host.results).toHaveLength(1)
})

test('when stdin ends, an open call fails, the model goes on and a complete answer comes of it', async () => {
  using fake = fakeClaude({
    script: { rules: [{ steps: [{ mcpCall: { name: 'shout' } }, { text: 'it said: {{lastToolResult}}' }] }] },
  })
  const silent = (message: Line) => (message['method'] === 'tools/call' ? undefined : answerMcp(message))
  await using host = fakeHost(fake, undefined, { mcp: silent })
  await host.initialize()
  host.message('call')
  await host.until((line) => methodOf(line) === 'tools/call')
  expect(await host.end()).toBe(0)
  expect(host.results).toMatchObject([
    { is_error: false, result: expect.stringContaining('interrupted before a result') },
  ])
})

function methodOf(line: Line): unknown {
  return (line.request?.['message'] as Line | undefined)?.['method']
}
