import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Script, stepwise } from '../../src/app/demo/script.ts'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { initialize, type PipeHost, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const deny = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'Iris says no',
  },
}

describe.each(claudeVersions)('permission to use a tool of Claude Code %s', (version) => {
  let world: PinWorld
  let host: PipeHost
  let cli: Cli
  let mark: string
  beforeAll(async () => {
    const touch: Script = () => ({ toolUses: [{ name: 'Bash', input: { command: `touch ${mark}` } }] })
    const speak: Script = ({ conversation }) => ({ text: conversation.toolResults[0]?.text ?? '' })
    const echo = { toolUses: [{ name: 'mcp__iris__echo', input: {} }] }
    world = await pinWorld(version, (request) =>
      stepwise(request.conversation.lastUserText === 'echo' ? echo : touch, speak)(request),
    )
    mark = join(world.project, 'mark')
    host = pipeHost()
    cli = world.start({ answer: host.answer })
    await cli.request(initialize)
  })
  beforeEach(() => {
    rmSync(mark, { force: true })
    host.hook = () => ({ continue: true })
    host.permission = ({ input }) => ({ behavior: 'allow', updatedInput: input })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  async function turn(one = cli, text = 'touch'): Promise<{ result: Line; asked: string[] }> {
    const since = host.asked.length
    const result = (await one.turn(text)).at(-1) ?? {}
    return { result, asked: host.asked.slice(since).map(({ subtype }) => String(subtype)) }
  }

  test('a question names the tool, its input and its id, and allowing it needs the input again', async () => {
    const { result, asked } = await turn()
    expect(asked.slice(-2)).toEqual(['hook_callback', 'can_use_tool'])
    const question = host.asked.at(-1)
    expect(question).toEqual({
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      display_name: 'Bash',
      input: { command: `touch ${mark}` },
      description: `touch ${mark}`,
      blocked_path: mark,
      permission_suggestions: expect.any(Array),
      tool_use_id: expect.stringMatching(/^toolu_/),
    })
    expect(result).toMatchObject({ is_error: false, permission_denials: [] })
    expect(existsSync(mark)).toBe(true)
  })

  test('allow without updatedInput is enough for 2.1.330 and an error for 2.1.197', async () => {
    host.permission = () => ({ behavior: 'allow' })
    await turn()
    expect(existsSync(mark)).toBe({ '2.1.330': true, '2.1.197': false }[version])
  })

  test('deny with interrupt ends the turn as an interrupted one', async () => {
    host.permission = () => ({ behavior: 'deny', message: 'stop', interrupt: true })
    const { result } = await turn()
    expect(existsSync(mark)).toBe(false)
    expect(result).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_tools',
    })
  })

  test('a question answered with an error is a denial', async () => {
    host.permission = () => new Error('nobody there')
    const { result } = await turn()
    expect(existsSync(mark)).toBe(false)
    expect(result.result).toBe('Tool permission request failed: Error: nobody there')
  })

  test('a denial by the hook is final: nobody is asked, the model hears the reason', async () => {
    host.hook = () => deny
    const { result, asked } = await turn()
    expect(asked).toEqual(['hook_callback'])
    expect(existsSync(mark)).toBe(false)
    const heard = { '2.1.330': 'PreToolUse:Bash hook error: Iris says no', '2.1.197': 'Iris says no' }[version]
    expect(result).toMatchObject({ is_error: false, result: heard, permission_denials: [{ tool_name: 'Bash' }] })
  })

  test('permission by the hook asks nobody else', async () => {
    host.hook = () => ({ hookSpecificOutput: { ...deny.hookSpecificOutput, permissionDecision: 'allow' } })
    expect((await turn()).asked).toEqual(['hook_callback'])
    expect(existsSync(mark)).toBe(true)
  })

  test.each([
    ['an error', new Error('broke')],
    ['nothing', {}],
    ['continue: false', { continue: false, stopReason: 'stop' }],
  ])('a hook answered with %s does not hold the tool back', async (_, answer) => {
    host.hook = () => answer
    expect((await turn()).asked).toEqual(['hook_callback', 'can_use_tool'])
    expect(existsSync(mark)).toBe(true)
  })

  test("Iris's own tools are used without a question, but the hook can deny them as well", async () => {
    expect((await turn(cli, 'echo')).asked).toEqual(['hook_callback', 'mcp_message'])
    host.hook = () => deny
    expect((await turn(cli, 'echo')).asked).toEqual(['hook_callback'])
  })

  test("a person's own rule to allow asks nobody, but a denial by the hook beats it", async () => {
    mkdirSync(join(world.home, '.claude'), { recursive: true })
    writeFileSync(join(world.home, '.claude', 'settings.json'), '{"permissions":{"allow":["Bash"]}}')
    const trusting = world.start({ answer: host.answer })
    await trusting.request(initialize)
    // The tools of the pipe are asked for in between.
    await turn(trusting, 'echo')
    expect((await turn(trusting)).asked).toEqual(['hook_callback'])
    expect(existsSync(mark)).toBe(true)
    rmSync(mark)
    host.hook = () => deny
    await turn(trusting)
    expect(existsSync(mark)).toBe(false)
  })
})
