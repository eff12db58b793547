import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stepwise, type ToolUse } from '../../src/app/demo/script.ts'
import type { Cli, Line } from '../../src/app/probe/cli.ts'
import { initialize, type PipeHost, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const bash = (command: string): ToolUse => ({ name: 'Bash', input: { command } })

describe.each(claudeVersions)('rules that Claude Code %s is handed while it runs', (version) => {
  let world: PinWorld
  let host: PipeHost
  let cli: Cli
  let use: ToolUse
  beforeAll(async () => {
    world = await pinWorld(version, (request) => stepwise({ toolUses: [use] }, { text: 'done' })(request))
    mkdirSync(join(world.home, 'outside'))
    mkdirSync(join(world.project, 'src'))
    writeFileSync(join(world.project, 'a'), 'x')
    host = pipeHost()
    host.permission = () => ({ behavior: 'deny', message: 'no' })
    const settings = { permissions: { allow: ['Bash(start *)'] } }
    cli = world.start({ answer: host.answer, args: ['--settings', JSON.stringify(settings)] })
    await cli.request(initialize)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  async function question(tool: ToolUse): Promise<Line | undefined> {
    use = tool
    const since = host.asked.length
    await cli.turn('go')
    return host.asked.slice(since).find(({ subtype }) => String(subtype) === 'can_use_tool')
  }
  const asks = async (tool: ToolUse) => (await question(tool)) !== undefined
  const apply = (settings: unknown) => cli.request({ subtype: 'apply_flag_settings', settings })
  const hand = (...allow: string[]) => apply({ permissions: { allow } })
  /** Which of these commands are asked about. */
  async function asked(...commands: string[]): Promise<string[]> {
    const found: string[] = []
    for (const command of commands) if (await asks(bash(command))) found.push(command)
    return found
  }

  test('a list takes the place of the one before; what --settings gave stays', async () => {
    expect(await hand('Bash(one *)')).toEqual({})
    expect(await asked('start x', 'one x', 'two x')).toEqual(['two x'])
    const { sources } = await cli.request({ subtype: 'get_settings' })
    expect(sources).toMatchObject([
      { source: 'flagSettings', settings: { permissions: { allow: ['Bash(start *)', 'Bash(one *)'] } } },
    ])
    await hand('Bash(two *)')
    expect(await asked('start x', 'one x', 'two x')).toEqual(['one x'])
    await apply({})
    expect(await asked('one x', 'two x')).toEqual(['one x'])
    await hand()
    expect(await asked('start x', 'one x', 'two x')).toEqual(['one x', 'two x'])
  })

  test('it holds for the tool whose hook is open', async () => {
    for (const [list, isAsked] of [
      [['Bash(one *)'], false],
      [[], true],
    ] as const) {
      host.hook = async () => {
        await hand(...list)
        return { continue: true }
      }
      expect(await asks(bash('one x'))).toBe(isAsked)
    }
    host.hook = () => ({ continue: true })
  })

  test('a rule that is none does not spoil its list', async () => {
    await hand('nonsense(', 'bash(x)', 'Bash(two *)')
    expect(await asked('one x', 'two x')).toEqual(['one x'])
  })

  test('to be asked about goes before to be allowed', async () => {
    const write = (path: string): ToolUse => ({ name: 'Write', input: { file_path: path, content: 'x' } })
    await apply({ permissions: { allow: ['Edit(~/**)'], ask: [`Edit(/${world.home}/outside/**)`] } })
    expect(await asks(write(join(world.home, 'free')))).toBe(false)
    expect(await asks(write(join(world.home, 'outside/kept')))).toBe(true)
  })

  test('paths are read for Edit and Read alone, a bare name is that tool, one slash leads nowhere', async () => {
    const write = (): ToolUse => ({ name: 'Write', input: { file_path: join(world.project, 'src/new'), content: 'x' } })
    const outcomes: Record<string, boolean> = {}
    for (const rule of ['Write(src/**)', 'Edit', 'Edit(/src/**)']) {
      await hand(rule)
      outcomes[rule] = await asks(write())
    }
    expect(outcomes).toEqual({ 'Write(src/**)': true, Edit: true, 'Edit(/src/**)': true })
    await hand(`Edit(/${world.project}/src/**)`)
    expect(await asks(write())).toBe(false)
  })

  test('a command that leads out of the project is asked about whatever rule it has, but a bare Bash', async () => {
    const outside = join(world.home, 'outside')
    const commands = [
      `cp a ${outside}/c`,
      `mv a ${outside}/c`,
      `touch ${outside}/c`,
      `cd ${outside} && git status`,
      'cat /etc/hostname',
    ]
    for (const command of commands) {
      await hand(`Bash(${command})`, `Bash(${command.split(' ')[0]} *)`, 'Bash(git *)')
      expect([command, await asks(bash(command))]).toEqual([command, true])
    }
    await hand('Bash(cp *)', 'Edit(~/outside/**)')
    expect(await asks(bash(commands[0]!))).toBe(false)
    await hand('Bash')
    expect(await asked(...commands.slice(2))).toEqual([])
  })

  test('a rule in an answer stays when the list is another', async () => {
    await hand()
    const rules = [{ toolName: 'Bash', ruleContent: 'given *' }]
    const updatedPermissions = [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }]
    host.permission = ({ input }) => ({ behavior: 'allow', updatedInput: input, updatedPermissions })
    expect(await asked('given x')).toEqual(['given x'])
    await hand('Bash(one *)')
    await hand()
    expect(await asked('given x')).toEqual([])
  })
})
