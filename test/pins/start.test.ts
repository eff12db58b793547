import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Script, stepwise } from '../../src/app/demo/script.ts'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { echoTool, initialize, type PipeHost, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const callEcho: Script = ({ conversation: { lastUserText } }) => ({
  toolUses: [{ name: 'mcp__iris__echo', input: { text: 'hi' }, id: `toolu_${lastUserText}` }],
})

describe.each(claudeVersions)('starting Claude Code %s', (version) => {
  let world: PinWorld
  let host: PipeHost
  let cli: Cli
  let answer: Line
  let linesBeforeInput: number
  beforeAll(async () => {
    world = await pinWorld(version, stepwise(callEcho, { text: 'done' }))
    host = pipeHost()
    // Two at once: one is spoken to, the other is not and shows by then whether it says something on its own.
    const silent = world.start()
    cli = world.start({ answer: host.answer })
    answer = await cli.request(initialize)
    linesBeforeInput = silent.lines.length
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('nothing is printed before the first line of input', () => {
    expect(linesBeforeInput).toBe(0)
  })

  test('initialize is answered without a call of the model, a line of system/init or a transcript', () => {
    expect(Number(answer.pid)).toBe(cli.pid)
    expect(world.model.requests).toMatchObject({ turns: 0, sideRequests: 0 })
    expect(cli.lines.filter(({ type }) => String(type) === 'system')).toEqual([])
    expect(world.transcript('')).toEqual([])
  })

  test('the tools are asked for over the pipe: around the answer of initialize (2.1.330), with the first message (2.1.197)', async () => {
    const sooner = version === '2.1.330'
    expect(host.asked.map(({ message }) => String(message?.method)).slice(0, 1)).toEqual(sooner ? ['initialize'] : [])
    if (!sooner) await cli.turn('nothing')
    await cli.line({ request: { message: { method: 'tools/list' } } })
    const tooling = host.asked.filter(({ subtype }) => String(subtype) === 'mcp_message').slice(0, 3)
    expect(tooling.map(({ server_name, message }) => [server_name, message])).toEqual([
      ['iris', { jsonrpc: '2.0', id: 0, method: 'initialize', params: expect.anything() }],
      ['iris', { jsonrpc: '2.0', method: 'notifications/initialized' }],
      ['iris', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ])
    expect(host.asked[0]?.message?.params).toMatchObject({ protocolVersion: '2025-11-25', clientInfo: { version } })
  })

  test('before every tool the hook asks with the id of the tool use, and a call of a tool carries the same id', async () => {
    const since = host.asked.length
    await cli.turn('first')
    const [hook, call] = host.asked.slice(since)
    expect(hook).toMatchObject({
      subtype: 'hook_callback',
      callback_id: 'pre',
      tool_use_id: 'toolu_first',
      input: {
        hook_event_name: 'PreToolUse',
        tool_name: 'mcp__iris__echo',
        tool_input: { text: 'hi' },
        tool_use_id: 'toolu_first',
        session_id: expect.any(String),
        permission_mode: 'default',
        cwd: world.project,
      },
    })
    const sessionId = String(hook?.input?.session_id)
    expect(hook?.input?.transcript_path).toBe(world.transcriptFile(sessionId))
    expect(call?.message).toEqual({
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: 'tools/call',
      params: {
        name: 'echo',
        arguments: { text: 'hi' },
        _meta: { 'claudecode/toolUseId': 'toolu_first', progressToken: expect.any(Number) },
      },
    })
    expect(host.asked).toHaveLength(since + 2)
    expect(world.model.requests.recent.at(-1)?.conversation.toolResults).toMatchObject([
      { text: 'echoed', isError: false },
    ])
  })

  test('every answer sent to the CLI is printed again under the id of its request', () => {
    const asked = cli.lines.filter(({ type }) => String(type) === 'control_request').map((line) => line.request_id)
    const answered = cli.lines.filter(({ type }) => String(type) === 'control_response')
    expect(answered.map(({ response }) => response?.request_id)).toEqual(expect.arrayContaining(asked))
    expect(asked.length).toBeGreaterThan(4)
  })

  test('a tool is offered at once only with anthropic/alwaysLoad (2.1.330), or always (2.1.197)', async () => {
    const shy = pipeHost([{ ...echoTool, _meta: {} }])
    const other = world.start({ answer: shy.answer })
    await other.request(initialize)
    const offered = async (one: Cli) => {
      await one.turn('second')
      return world.model.requests.recent.at(-1)?.conversation.toolNames.includes('mcp__iris__echo')
    }
    expect(await offered(cli)).toBe(true)
    expect(await offered(other)).toBe({ '2.1.330': false, '2.1.197': true }[version])
  })
})
