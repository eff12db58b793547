import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolUse } from '../../src/app/demo/script.ts'
import type { Cli, Line } from '../../src/app/probe/cli.ts'
import { initialize, type PipeHost, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { writeHostileFiles } from '../support/hostile-project.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const bash = (command: string): ToolUse => ({ name: 'Bash', input: { command } })
const touching: ToolUse = { name: 'Skill', input: { skill: 'touching' } }
const loader: ToolUse = {
  name: 'Agent',
  input: { subagent_type: 'loader', prompt: 'x', description: 'x', run_in_background: false },
}

describe.each(claudeVersions)('rules that deny, handed to Claude Code %s while it runs', (version) => {
  let world: PinWorld
  let host: PipeHost
  let cli: Cli
  let use: ToolUse | undefined
  /** What the model was offered last. */
  let tools: readonly string[]
  beforeAll(async () => {
    world = await pinWorld(version, ({ conversation }) => {
      tools = conversation.toolNames
      const toolUses = use && [use]
      use = undefined
      return toolUses ? { toolUses } : { text: 'done' }
    })
    writeHostileFiles(world.project)
    host = pipeHost()
    cli = world.start({ answer: host.answer })
    await cli.request(initialize)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const apply = (settings: object) => cli.request({ subtype: 'apply_flag_settings', settings })
  const deny = (...rules: string[]) => apply({ permissions: { allow: [], ask: [], deny: rules } })
  /** What it asked the host about the tool, whether this file was made, and its lines. */
  async function tried(tool: ToolUse, name: string) {
    const since = host.asked.length
    use = tool
    const lines = await cli.turn('go')
    const asked = host.asked.slice(since).map(({ subtype }) => String(subtype))
    const path = join(world.project, name)
    const made = existsSync(path)
    rmSync(path, { force: true })
    return { asked, made, lines }
  }
  const made = async (tool: ToolUse, name: string) => (await tried(tool, name)).made
  const inputs = (subtype: string): Line[] =>
    host.asked.filter((asked) => String(asked.subtype) === subtype).map(({ input }) => input ?? {})

  test('they hold for a changed input, and for skills, until the next list lacks them; the model keeps its tools', async () => {
    const all = [bash('ls changed'), touching, loader] as const
    const outcomes = async () => [
      await made(all[0], 'changed'),
      await made(all[1], 'inlined'),
      await made(all[2], 'inlined'),
    ]
    expect(await outcomes()).toEqual([true, true, true])
    const before = tools
    await deny('Bash(touch *)', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Read', 'LS')
    expect(await outcomes()).toEqual([false, false, false])
    expect(tools).toEqual(before)
    await deny()
    expect(await outcomes()).toEqual([true, true, true])
  })

  test('the hook is asked about the first input; the question, and the hook after the tool, have the one that runs', async () => {
    const { asked } = await tried(bash('ls changed'), 'changed')
    expect(asked).toEqual(['hook_callback', 'can_use_tool'])
    expect(inputs('hook_callback').at(-1)!.tool_input).toEqual({ command: 'ls changed' })
    expect(inputs('can_use_tool').at(-1)).toEqual({ command: 'touch changed' })
    expect(host.ran.at(-1)).toMatchObject({ hook_event_name: 'PostToolUse', tool_input: { command: 'touch changed' } })
    // A failure has its own hook.
    await tried(bash('false'), 'x')
    expect(host.ran.at(-1)).toMatchObject({ hook_event_name: 'PostToolUseFailure', tool_input: { command: 'false' } })
  })

  test('a refused command comes after the hook, with a line; a refused file before it, with an error alone', async () => {
    await deny('Read(.env)')
    const command = await tried(bash('cat .env'), 'x')
    expect(command.asked).toEqual(['hook_callback'])
    const line = command.lines.find(({ subtype }) => String(subtype) === 'permission_denied')
    expect(line).toMatchObject({ tool_name: 'Bash', decision_reason_type: 'subcommandResults' })
    expect(line).toMatchObject({ message: 'Permission to use Bash with command cat .env has been denied.' })
    const file = await tried({ name: 'Read', input: { file_path: join(world.project, '.env') } }, 'x')
    expect(file.asked).toEqual([])
    expect(JSON.stringify(file.lines)).toContain('File is in a directory that is denied by your permission settings.')
  })

  test('they are no replacement: not for paths of Write, nor inside of sh -c; the older build sees even less', async () => {
    await deny('Write(plain)', 'Bash(touch *)')
    const write: ToolUse = { name: 'Write', input: { file_path: join(world.project, 'plain'), content: 'x' } }
    expect(await made(write, 'plain')).toBe(true)
    expect(await made(bash('bash -c "touch a"'), 'a')).toBe(true)
    const older = version === '2.1.197'
    expect(await made(bash('echo $(touch a)'), 'a')).toBe(older)
    expect(await made(bash('/usr/bin/touch a'), 'a')).toBe(older)
  })

  test('disableSkillShellExecution is taken by a living process, and given back with null', async () => {
    await deny()
    await apply({ disableSkillShellExecution: true })
    expect([await made(touching, 'inlined'), await made(loader, 'inlined')]).toEqual([false, false])
    await apply({ disableSkillShellExecution: null })
    expect(await made(touching, 'inlined')).toBe(true)
  })
})
