import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { Cli, type Line } from '../../src/app/probe/cli.ts'
import { projectSlug } from '../../src/claude/driver/project-slug.ts'
import { Isolations } from '../../src/kernel/pool/isolation.ts'
import { loadConfig } from '../../src/platform/config/load.ts'
import { isolationMeans } from '../../src/platform/machine/isolation-means.ts'
import { pinWorld } from '../support/pin-world.ts'
import {
  type ClaudeVersion,
  claudeBinary,
  claudeVersions,
  cliEnvironment,
  irisArguments,
} from '../support/real-claude.ts'

const means = await isolationMeans(process.env['PATH'] ?? '')
const levels = ['home', 'sandbox'] as const

/** Uses the tool that the message names, and answers with what came of it; says anything else again. */
const tools: Script = ({ conversation: { lastUserText, toolResults } }) => {
  if (toolResults[0] !== undefined) return { text: toolResults[0].text }
  return lastUserText.startsWith('{') ? { toolUses: [JSON.parse(lastUserText)] } : { text: `said ${lastUserText}` }
}
const bash = (command: string): string => JSON.stringify({ name: 'Bash', input: { command, description: 'look' } })
const answer = (request: Line): unknown =>
  String(request['subtype']) === 'can_use_tool' ? { behavior: 'allow', updatedInput: request['input'] } : {}

/** A CLI as Iris isolates it, in a home with settings of every kind. */
async function isolatedWorld(version: ClaudeVersion, level: (typeof levels)[number]) {
  const world = await pinWorld(version, tools)
  const { home, project } = world
  for (const directory of ['plugins/marketplaces', 'skills/own', 'projects/-other'])
    mkdirSync(join(home, '.claude', directory), { recursive: true })
  writeFileSync(join(home, '.claude/settings.json'), '{"env":{"FROM_SETTINGS":"seen"}}')
  writeFileSync(join(home, '.claude/CLAUDE.md'), 'Be as nice as @extra.md says.')
  writeFileSync(join(home, '.claude/extra.md'), 'VERY NICE')
  writeFileSync(join(home, '.claude.json'), '{"numStartups":3}')
  writeFileSync(join(home, '.claude/projects/-other/x.jsonl'), 'of another one')
  const git = ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x']
  for (const args of [['init', '-q'], git])
    execFileSync('git', args, { cwd: project, env: { ...process.env, HOME: home } })
  const irisHome = join(home, 'iris')
  mkdirSync(irisHome)
  writeFileSync(join(irisHome, 'config.yaml'), `teams: {own: {path: ${project}, isolation: ${level}}}`, { mode: 0o600 })
  const config = await loadConfig({ home: irisHome, env: { HOME: home } })
  const isolations = new Isolations({
    config: () => config,
    system: { isolationMeans: async () => means },
    environment: {},
  })
  const executable = claudeBinary(version)
  const env = cliEnvironment({ version, home, modelUrl: world.model.url })
  const started: Cli[] = []
  const start = async (sessionId: string, args: readonly string[]): Promise<Cli> => {
    const process = { executable, env, conversation: { sessionId, transcript: undefined } }
    const { by } = (await isolations.for(config.teams.get('own')!, process))!
    const cli = new Cli({ command: [...by, executable, ...irisArguments, ...args], cwd: project, env, answer })
    started.push(cli)
    await cli.request({ subtype: 'initialize' })
    return cli
  }
  const said = (): string => JSON.stringify(world.model.requests.recent.at(-1)!.body)
  return {
    world,
    home,
    project,
    start,
    said,
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((cli) => cli.kill()))
      await world[Symbol.asyncDispose]()
    },
  }
}

const result = (lines: readonly Line[]): string => String(lines.at(-1)!['result'])

describe.each(claudeVersions.flatMap((version) => levels.map((level) => [version, level] as const)))(
  '%s, isolated as %s,',
  (version, level) => {
    test('does what it does otherwise: a turn, a tool, a subagent, compaction, resumption, a fork', async () => {
      await using at = await isolatedWorld(version, level)
      const { home, project, world, start } = at
      const id = crypto.randomUUID()
      const cli = await start(id, ['--session-id', id])
      expect(result(await cli.turn('hello'))).toBe('said hello')
      expect(at.said()).toContain('VERY NICE')
      expect(result(await cli.turn(bash('echo $FROM_SETTINGS')))).toBe('seen')
      const file = join(project, 'made.txt')
      await cli.turn(JSON.stringify({ name: 'Write', input: { file_path: file, content: 'well' } }))
      expect(readFileSync(file, 'utf8')).toBe('well')
      const agent = { description: 'x', prompt: 'from it', subagent_type: 'general-purpose', run_in_background: false }
      expect(result(await cli.turn(JSON.stringify({ name: 'Agent', input: agent })))).toContain('said from it')
      await cli.turn('/compact')
      await cli.turn('after compaction')
      await cli.end()
      expect(world.transcriptFile(id)).toBe(join(home, '.claude/projects', projectSlug(project), `${id}.jsonl`))

      const again = await start(id, ['--resume', id])
      expect(result(await again.turn('resumed'))).toBe('said resumed')
      expect(at.said()).toContain('after compaction')
      await again.end()

      const forkId = crypto.randomUUID()
      const fork = await start(forkId, ['--resume', id, '--fork-session', '--session-id', forkId])
      expect(result(await fork.turn('forked'))).toBe('said forked')
      expect(at.said()).toContain('resumed')
      await fork.end()
      expect(readdirSync(join(home, '.claude/projects')).toSorted()).toEqual(
        ['-other', projectSlug(project)].toSorted(),
      )
    })
  },
)

describe.each(claudeVersions)('%s', (version) => {
  test.each(levels)('keeps the tasks of a conversation, where it has such, isolated as %s', async (level) => {
    await using at = await isolatedWorld(version, level)
    const id = crypto.randomUUID()
    const cli = await at.start(id, ['--session-id', id])
    await cli.turn(JSON.stringify({ name: 'TaskCreate', input: { subject: 'a', description: 'b' } }))
    await cli.end()
    const again = await at.start(id, ['--resume', id])
    const list = result(await again.turn(JSON.stringify({ name: 'TaskList', input: {} })))
    expect(list).toContain(version === '2.1.197' ? '#1 [pending] a' : 'disabled for this session')
  })

  test.each([
    ['a plain one', 'a-b_c.d'],
    ['one in other letters, composed or not', 'é-e\u0301-ß-日本-🙂'],
    ['one of more than 200 characters', Array.from({ length: 12 }, (_, n) => `directory-number-${n}`).join('/')],
  ])('keeps the conversations of a project where Iris expects them: %s', async (_what, name) => {
    await using world = await pinWorld(version, () => ({ text: 'ok' }))
    const directory = join(world.project, name)
    mkdirSync(directory, { recursive: true })
    const id = crypto.randomUUID()
    const env = cliEnvironment({ version, home: world.home, modelUrl: world.model.url })
    const cli = new Cli({ command: [claudeBinary(version), ...irisArguments, '--session-id', id], cwd: directory, env })
    await cli.request({ subtype: 'initialize' })
    await cli.turn('hello')
    await cli.end()
    expect(existsSync(join(world.home, '.claude/projects', projectSlug(directory), `${id}.jsonl`))).toBe(true)
  })
})
