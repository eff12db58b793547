import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { startScriptedModel } from '../../src/app/demo/scripted-model.ts'
import { eventually } from '../support/eventually.ts'
import { fileTree } from '../support/file-tree.ts'
import { launcher } from '../support/newcomer.ts'
import { endAll, processesOf } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { spoken } from '../support/world.ts'

const tool = 'mcp__iris__send_message'
const asked = { toTeam: 'shop', message: 'hello from my own Claude Code' }

/** A team runs what begins with `run` and says back all else; the person's own Claude Code asks a team. */
const script: Script = ({ conversation: { lastUserText, toolNames, toolResults, allToolResults } }) => {
  if (lastUserText.includes('<iris-message')) {
    const message = spoken(lastUserText)
    if (!message.startsWith('run ')) return { text: `shop heard ${message}` }
    const result = toolResults.at(-1)
    return result
      ? { text: `it said ${result.text}` }
      : { toolUses: [{ name: 'Bash', input: { command: message.slice(4) } }] }
  }
  const told = allToolResults.find(({ name }) => name === tool)
  if (told) return { text: `told: ${told.text}` }
  const isLoaded = toolNames.includes(tool) || lastUserText === 'Tool loaded.'
  return {
    toolUses: [isLoaded ? { name: tool, input: asked } : { name: 'ToolSearch', input: { query: `select:${tool}` } }],
  }
}

/** A machine with nothing on it but Claude Code, a checkout of Iris, and two projects. */
async function emptyMachine() {
  const scratch = scratchDirectory()
  const [home, bin] = [join(scratch.path, 'home'), join(scratch.path, 'bin')]
  const project = (name: string) => join(home, 'projects', name)
  for (const directory of [bin, project('shop'), project('web')]) mkdirSync(directory, { recursive: true })
  writeFileSync(join(project('shop'), 'README.md'), '# Shop\n\nSells things.\n')
  writeFileSync(join(home, '.bashrc'), 'alias ll="ls -l"\n')
  symlinkSync(claudeBinary('2.1.330'), join(bin, 'claude'))
  symlinkSync(launcher, join(bin, 'iris'))
  const model = await startScriptedModel({ script })
  const env = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  const started: ChildProcessWithoutNullStreams[] = []
  const start = (program: 'iris' | 'claude', args: readonly string[], cwd = home) => {
    const child = spawn(join(bin, program), args, { cwd, env })
    started.push(child)
    child.stdin.end()
    const said = { out: '', error: '' }
    child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (said.error += chunk.toString()))
    return { said, ended: new Promise<number | null>((resolve) => child.on('close', resolve)), child }
  }
  /** What it says on stdout; it ends well. */
  const run = async (...[program, args, cwd]: Parameters<typeof start>) => {
    const { said, ended } = start(program, args, cwd)
    expect({ args, code: await ended, said }).toMatchObject({ code: 0 })
    return said.out
  }
  return {
    home,
    project,
    start,
    iris: (...args: string[]) => run('iris', args),
    claude: (...args: string[]) => run('claude', args, project('web')),
    /** Everything but what Iris and Claude Code keep for themselves. */
    files: () => fileTree(home, (path) => /^(\.iris\/|\.claude\/|\.cache\/|\.claude\.json$)/.test(path)),
    processes: () => processesOf(scratch.path),
    async [Symbol.asyncDispose]() {
      await endAll(scratch.path)
      await model.close()
      scratch[Symbol.dispose]()
    },
  }
}

test('a newcomer installs Iris, makes two teams, asks one, answers its question, watches, and has every file as before', {
  timeout: 240_000,
}, async () => {
  await using machine = await emptyMachine()
  const { iris, home, project } = machine
  const own = join(home, '.claude.json')
  const before = machine.files()
  expect(Object.keys(before)).toEqual(['.bashrc', 'projects/shop/README.md'])

  expect(await iris('install')).toContain(`Created ${home}/.iris/config.yaml`)
  expect(JSON.parse(readFileSync(own, 'utf8')).mcpServers).toMatchObject({ iris: { command: launcher, args: ['mcp'] } })
  expect(await iris('add-team', project('shop'))).toContain('Added shop')
  expect(await iris('add-team', project('web'))).toContain('Added web')
  // The usual port may belong to another test.
  await iris('config', 'set', 'settings.httpPort', '0')
  await iris('start', '--background')
  const monitor = machine.start('iris', ['monitor'])
  await eventually(() => monitor.said.out !== '', 'the monitor tells how things stand')
  expect(await iris('tell', 'shop', 'hello')).toContain('shop heard hello')

  const answer = machine.start('iris', ['tell', 'shop', 'run echo made | tee made.txt'])
  const asks = /permission:request {2}Bash of shop: pending {2}(\S+)/
  const id = await eventually(() => asks.exec(monitor.said.out)?.[1], 'the monitor tells of the question')
  expect(await iris('permissions')).toContain('> command: echo made | tee made.txt')
  expect(await iris('allow', id)).toContain('Allowed: Bash of shop')
  expect(await answer.ended).toBe(0)
  expect(answer.said.out).toContain('it said made')
  monitor.child.kill('SIGINT')
  await monitor.ended

  const told = await machine.claude('-p', 'Ask the shop.', '--allowedTools', 'mcp__iris')
  expect(told).toContain(`shop heard ${asked.message}`)
  expect(await iris('sessions')).toMatch(/web\s*→\s*shop/)

  expect(await iris('uninstall')).toContain(`Removed iris from ${own}`)
  const made = { 'projects/shop/made.txt': expect.stringMatching(/ made\n$/) }
  expect(machine.files()).toEqual({ ...before, ...made })
  const left = fileTree(home, (path) => !/^\.claude(\.json|\/settings.*\.json)$/.test(path))
  expect(JSON.stringify(left)).not.toMatch(/mcpServers|iris mcp|\/iris"/)
  await eventually(() => machine.processes().length === 0, 'no process to be left')
  expect(existsSync(join(home, '.iris/data/team-sessions.db'))).toBe(true)

  expect(await iris('uninstall', '--purge', '--yes')).toContain(`Removed ${home}/.iris`)
  expect(existsSync(join(home, '.iris'))).toBe(false)
  expect(machine.files()).toEqual({ ...before, ...made })
})
