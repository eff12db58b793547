import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolUse } from '../../src/app/demo/script.ts'
import { stepwise } from '../../src/app/demo/script.ts'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { initialize, type PipeHost, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { isCovered } from '../../src/base/rule/covers.ts'
import { parseRule } from '../../src/base/rule/rule.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const asks = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }

const rules = [
  'aa x\\*y',
  'bb x\\(y\\)',
  'cc x(y)',
  'dd x\\\\y',
  'ii x\\y',
  'ee *',
  'ff:*',
  'gg*',
  'hh * main',
  'pp x\\* *',
  'find *',
  'kk x',
].map((content) => `Bash(${content})`)

/** Each as the CLI and Iris read it; true: no question. */
const commands: readonly (readonly [command: string, covered: boolean])[] = [
  ...(['ee', 'ee x', 'ff', 'ff x', 'gg', 'ggx', 'hh x main', 'kk x', ' kk x '] as const).map(
    (one) => [one, true] as const,
  ),
  ...(['bb x(y)', 'cc x(y)', 'dd x\\y', 'ii x\\y', 'pp x* z', 'aa x\\*y'] as const).map((one) => [one, true] as const),
  ...(['kk x; ee y', 'kk x && ee y', 'kk x | ee', 'ee\nkk x', 'kk x 2>&1', 'find . -name x'] as const).map(
    (one) => [one, true] as const,
  ),
  ...(['eex', 'ffx', 'hh main', 'aa x*y', 'aa xZy', 'pp x\\* z', 'dd x\\\\y', 'kk "x"', 'FOO=1 ee'] as const).map(
    (one) => [one, false] as const,
  ),
  ...(['ee $(id)', 'ee `id`', 'ee <(id)', 'kk x & ee', 'kk x > y', '(ee x)', '{ ee x; }'] as const).map(
    (one) => [one, false] as const,
  ),
  ...(['env ee', 'sudo ee', 'find . -delete', 'find . -exec rm x +', 'ee {a,b}', 'ee << X\nX'] as const).map(
    (one) => [one, false] as const,
  ),
]

describe.each(claudeVersions)('rules of Claude Code %s', (version) => {
  let world: PinWorld
  let host: PipeHost
  let cli: Cli
  let use: ToolUse
  beforeAll(async () => {
    const speak = () => ({ text: 'done' })
    world = await pinWorld(version, (request) => stepwise({ toolUses: [use] }, speak)(request))
    mkdirSync(join(world.home, '.claude'), { recursive: true })
    const permissions = { allow: [...rules, 'Write'], defaultMode: 'acceptEdits' }
    writeFileSync(join(world.home, '.claude/settings.json'), JSON.stringify({ permissions }))
    host = pipeHost()
    host.permission = () => ({ behavior: 'deny', message: 'no' })
    cli = world.start({ answer: host.answer })
    await cli.request(initialize)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  /** What the CLI asked before it ran the tool, or did not. */
  async function asked(tool: ToolUse): Promise<Line[]> {
    use = tool
    const since = host.asked.length
    await cli.turn('go')
    return host.asked.slice(since).filter(({ subtype }) => ['hook_callback', 'can_use_tool'].includes(String(subtype)))
  }
  const kinds = (lines: readonly Line[]) => lines.map(({ subtype }) => String(subtype))
  const bash = (command: string) => ({ name: 'Bash', input: { command } })

  test('a command is covered as Iris reads its rules', async () => {
    const place = { project: world.project, home: world.home }
    for (const [command, covered] of commands) {
      const byClaude = (await asked(bash(command))).length === 1
      const byIris = isCovered(rules.map(parseRule), { toolName: 'Bash', input: { command } }, place)
      expect([command, byClaude, byIris]).toEqual([command, covered, covered])
    }
  })

  test('a hook that answers "ask" has the host asked whatever a person allows, and takes the offers away', async () => {
    const write = { name: 'Write', input: { file_path: join(world.project, 'a.txt'), content: 'x' } }
    expect(kinds(await asked(write))).toEqual(['hook_callback'])
    host.hook = () => asks
    for (const tool of [write, bash('ee x'), bash('ls'), { name: 'mcp__iris__echo', input: {} }]) {
      const lines = await asked(tool)
      expect(kinds(lines)).toEqual(['hook_callback', 'can_use_tool'])
      expect(lines[1]).toMatchObject({ decision_reason_type: 'hook' })
      expect(lines[1]).not.toHaveProperty('permission_suggestions')
      expect(lines[1]).not.toHaveProperty('blocked_path')
    }
    host.hook = () => ({ continue: true })
  })

  test('what only reads asks nobody, and what a person’s default mode would let pass is asked about', async () => {
    writeFileSync(join(world.project, 'b.txt'), 'x')
    expect(kinds(await asked(bash('cat b.txt')))).toEqual(['hook_callback'])
    expect(kinds(await asked(bash('cat /etc/hostname')))).toEqual(['hook_callback', 'can_use_tool'])
    const edit = { name: 'Edit', input: { file_path: join(world.project, 'b.txt'), old_string: 'x', new_string: 'y' } }
    await asked({ name: 'Read', input: { file_path: join(world.project, 'b.txt') } })
    const lines = await asked(edit)
    expect(kinds(lines)).toEqual(['hook_callback', 'can_use_tool'])
    expect(lines[1]!.permission_suggestions).toEqual([{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }])
  })
})
