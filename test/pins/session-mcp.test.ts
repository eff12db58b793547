import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Script, stepwise } from '../../src/app/demo/script.ts'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { initialize, type PipeHost, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { eventually } from '../support/eventually.ts'
import { asText, type McpStub, startMcpStub, stubInstructions } from '../support/mcp-stub.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const server = 'iris-session'
const self = `mcp__${server}__permissions__approve`

describe.each(claudeVersions)('a permission prompt tool over HTTP, of Claude Code %s', (version) => {
  let world: PinWorld
  let stub: McpStub
  let host: PipeHost
  let cli: Cli
  let mark: string

  /** With the stub as MCP server of that name, beside the one named iris on the pipe. */
  function start(name: string): Cli {
    const file = join(world.project, `${name}.json`)
    writeFileSync(file, JSON.stringify({ mcpServers: { [name]: stub.config } }))
    const prompt = ['--permission-prompt-tool', `mcp__${name}__permissions__approve`]
    const hidden = name === server ? ['--disallowedTools', `mcp__${name}`] : []
    return world.start({ answer: host.answer, args: ['--mcp-config', file, ...prompt, ...hidden] })
  }

  beforeAll(async () => {
    const touch: Script = () => ({ toolUses: [{ name: 'Bash', input: { command: `touch ${mark}` } }] })
    const approveItself: Script = () => ({
      toolUses: [{ name: self, input: { tool_name: 'Bash', input: { command: `touch ${mark}` } } }],
    })
    const speak: Script = ({ conversation }) => ({ text: conversation.toolResults[0]?.text ?? '' })
    world = await pinWorld(version, (request) =>
      stepwise(request.conversation.lastUserText === 'approve yourself' ? approveItself : touch, speak)(request),
    )
    mark = join(world.project, 'mark')
    stub = await startMcpStub()
    host = pipeHost()
    cli = start(server)
    await cli.request(initialize)
  })
  beforeEach(() => {
    rmSync(mark, { force: true })
    stub.lists = true
    stub.approve = (input) => asText({ behavior: 'allow', updatedInput: input })
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await stub[Symbol.asyncDispose]()
  })

  const calls = () => stub.received.filter(({ message }) => String(message.method) === 'tools/call')
  const resultOf = async (text: string, of = cli): Promise<Line> => (await of.turn(text)).at(-1) ?? {}

  test('before any message the CLI tells which server it holds under the name, with address and headers', async () => {
    const { mcpServers } = (await cli.request({ subtype: 'mcp_status' })) as unknown as { mcpServers: object[] }
    expect(mcpServers).toContainEqual(expect.objectContaining({ name: server, config: stub.config }))
  })

  test('it is called after the hook, for the same tool use, with the token, and its answer counts', async () => {
    const since = host.asked.length
    await resultOf('touch')
    const hook = host.asked.slice(since).find(({ subtype }) => String(subtype) === 'hook_callback')
    const { message, headers } = calls().at(-1)!
    expect(message.params).toMatchObject({
      name: 'permissions__approve',
      arguments: { tool_name: 'Bash', input: { command: `touch ${mark}` }, tool_use_id: hook?.tool_use_id },
      _meta: { 'claudecode/toolUseId': hook?.tool_use_id },
    })
    expect(Object.keys(message.params?.arguments ?? {}).toSorted()).toEqual(['input', 'tool_name', 'tool_use_id'])
    expect(headers.authorization).toBe('Bearer stub')
    expect(existsSync(mark)).toBe(true)
    expect(host.asked.some(({ subtype }) => String(subtype) === 'can_use_tool')).toBe(false)
  })

  test('a denial is told to the model', async () => {
    stub.approve = () => asText({ behavior: 'deny', message: 'not you' })
    expect(await resultOf('touch')).toMatchObject({ is_error: false, result: 'not you' })
    expect(existsSync(mark)).toBe(false)
  })

  test('an answer that is more than one block of text is a denial', async () => {
    stub.approve = (input) => {
      const answer = { behavior: 'allow', updatedInput: input }
      return { ...asText(answer), structuredContent: answer }
    }
    expect(String((await resultOf('touch')).result)).toContain('Permission prompt tool returned an invalid result')
    expect(existsSync(mark)).toBe(false)
  })

  test('the model is shown neither it nor, with the server disallowed, its other tools; only 2.1.330 tells of the server', async () => {
    await resultOf('touch')
    const { body } = world.model.requests.recent.at(-1)!
    expect(JSON.stringify(body.tools)).toContain('mcp__iris__echo')
    expect(JSON.stringify(body.tools)).not.toContain(`mcp__${server}`)
    expect(JSON.stringify(body).includes(stubInstructions)).toBe({ '2.1.330': true, '2.1.197': false }[version])
  })

  test('a model that calls it all the same is told that there is no such tool, and nothing is asked or sent', async () => {
    const [sent, asked] = [calls().length, host.asked.length]
    expect(String((await resultOf('approve yourself')).result)).toContain(`No such tool available: ${self}`)
    expect([calls().length, host.asked.length]).toEqual([sent, asked])
    expect(existsSync(mark)).toBe(false)
  })

  test('an interrupt withdraws the question, in the era of 2025 by a message of its own', async () => {
    stub.approve = () => undefined
    const before = calls().length
    const since = cli.lines.length
    cli.say('touch')
    const call = await eventually(() => calls()[before], 'the question')
    await cli.request({ subtype: 'interrupt' })
    await cli.line({ type: 'result' }, since)
    // The stub speaks 2025-11-25 only; on 2026-07-28 the stream of the call is closed instead.
    const isCancelled = ({ message }: McpStub['received'][number]) =>
      String(message.method) === 'notifications/cancelled'
    const { message } = await eventually(() => stub.received.find(isCancelled), 'the withdrawal')
    expect(message.params).toMatchObject({ requestId: call.message.id })
  })

  // 2.1.330 has both or drops it, whichever connects first.
  test.each([version].filter((each) => each === '2.1.197'))(
    'named as the server of the pipe it is dropped',
    async () => {
      const same = start('iris')
      await same.request(initialize)
      same.say('touch')
      expect(await same.exited).toEqual({ code: 1, signal: null })
      expect(same.stderr).toContain('permissions__approve (passed via --permission-prompt-tool) not found')
    },
  )

  test('a prompt tool that its server does not list ends the process at the first question', async () => {
    stub.lists = false
    const without = start(server)
    await without.request(initialize)
    without.say('touch')
    expect(await without.exited).toEqual({ code: 1, signal: null })
    expect(without.stderr).toContain('permissions__approve (passed via --permission-prompt-tool) not found')
  })
})
