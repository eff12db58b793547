import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Finding } from '../../src/base/protocol/finding.ts'
import { findings } from '../support/findings.ts'
import { Installation, mainFile } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'

async function all(iris: Installation): Promise<readonly Finding[]> {
  const { stdout } = await runCommand(iris.world, ['doctor', '--json'])
  return (JSON.parse(stdout) as { findings: Finding[] }).findings
}

test('another Iris that Claude Code knows is named, with where it stands, why, and the command that removes it', async () => {
  await using iris = await Installation.create({ claude: 'either', teams: ['backend', 'frontend'] })
  const { root, home } = iris.world
  const own = { command: process.execPath, args: [mainFile, 'mcp'], env: { IRIS_HOME: home } }
  const tell = (settings: object) => writeFileSync(join(root, '.claude.json'), JSON.stringify(settings))
  const registrations = async () => (await all(iris)).filter(({ check }) => check === 'registration')
  const other = { command: 'node', args: ['server.js'] }
  tell({ mcpServers: { iris: own, other } })
  expect(await registrations()).toEqual([
    {
      check: 'registration',
      state: 'ok',
      detail: `this Iris is registered with Claude Code in ${join(root, '.claude.json')}`,
    },
  ])
  tell({
    mcpServers: { iris: { ...own, env: { IRIS_HOME: '/elsewhere' } } },
    projects: { [root]: { mcpServers: { again: { ...own, args: [join(root, 'iris'), 'mcp'] } } } },
  })
  const project = iris.world.directory('backend')
  writeFileSync(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { iris: { url: 'http://127.0.0.1:1/mcp' } } }))
  const found = await registrations()
  expect(found.map(({ state, remedy }) => ({ state, remedy }))).toEqual([
    { state: 'warn', remedy: 'claude mcp remove --scope user iris' },
    { state: 'warn', remedy: `cd ${root} && claude mcp remove --scope local again` },
    { state: 'warn', remedy: `cd ${project} && claude mcp remove --scope project iris` },
  ])
  expect(found[0]?.detail).toContain('has its home in /elsewhere')
  expect(found[1]?.detail).toContain(`starts ${join(root, 'iris')}`)
  expect(found[2]?.detail).toContain('leads to port 1,')
})

test('the plugin beside a registration of its own is named: the tools are there twice', async () => {
  await using iris = await Installation.create({ claude: 'either' })
  const { root, home, claudeDirectory } = iris.world
  mkdirSync(claudeDirectory, { recursive: true })
  writeFileSync(join(claudeDirectory, 'settings.json'), '{"enabledPlugins": {"iris@iris": true}}')
  expect((await findings(iris)).of('registration')?.state).toBe('ok')
  const server = { command: process.execPath, args: [mainFile, 'mcp'], env: { IRIS_HOME: home } }
  writeFileSync(join(root, '.claude.json'), JSON.stringify({ mcpServers: { iris: server } }))
  expect((await findings(iris)).of('registration')).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('iris@iris'),
    remedy: 'claude mcp remove --scope user iris',
  })
})

test('a login that is missing or over, and what the clean-up of Claude Code means, are read from its own files', async () => {
  await using iris = await Installation.create({ claude: 'either' })
  const { claudeDirectory } = iris.world
  const write = (name: string, value: object) => writeFileSync(join(claudeDirectory, name), JSON.stringify(value))
  mkdirSync(claudeDirectory, { recursive: true })
  const without = { ANTHROPIC_API_KEY: '' }
  expect((await findings(iris, [], without)).of('login')).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('not to be logged in'),
  })
  write('.credentials.json', { claudeAiOauth: { accessToken: 'a', expiresAt: 1 } })
  expect((await findings(iris, [], without)).of('login')).toMatchObject({
    state: 'warn',
    remedy: 'claude (then /login)',
  })
  write('.credentials.json', { claudeAiOauth: { accessToken: 'a', refreshToken: 'r', expiresAt: 1 } })
  const { of } = await findings(iris, [], without)
  expect(of('login')).toMatchObject({ state: 'ok', detail: expect.stringContaining(`logged in (${claudeDirectory})`) })
  expect(of('transcripts')).toMatchObject({ state: 'ok', detail: expect.stringContaining('after 30 days') })
  write('settings.json', { cleanupPeriodDays: 0 })
  expect((await findings(iris)).of('transcripts')).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('cleanupPeriodDays: 0'),
  })
})

test('a Claude Code that is too old, too new or says nothing is told with the command to type', async () => {
  await using iris = await Installation.create({ claude: 'either' })
  const claude = join(iris.world.root, 'claude')
  const be = (version: string) => writeFileSync(claude, `#!/bin/sh\necho "${version} (Claude Code)"\n`)
  be('2.1.99')
  chmodSync(claude, 0o755)
  iris.world.writeConfig({ settings: { claudePath: claude } })
  expect((await findings(iris)).of('claude')).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('older than 2.1.197'),
    remedy: 'npm install -g @anthropic-ai/claude-code',
  })
  writeFileSync(claude, '#!/bin/sh\nexec sleep 600\n')
  expect((await findings(iris)).of('claude')).toMatchObject({ state: 'fail', remedy: `${claude} --version (see why)` })
  be('2.1.900')
  expect((await findings(iris)).of('claude')).toMatchObject({ state: 'warn', remedy: 'iris doctor --probe' })
})

test('a service that starts what is gone, or another Iris, is told', async () => {
  await using iris = await Installation.create({ claude: 'either' })
  const unit = join(iris.world.root, '.config/systemd/user/iris.service')
  mkdirSync(join(unit, '..'), { recursive: true })
  const starts = async (words: string, home = iris.world.home) => {
    writeFileSync(unit, `[Service]\nExecStart=${words}\nEnvironment=IRIS_HOME=${home}\n`)
    return (await findings(iris)).of('service')
  }
  expect((await findings(iris)).of('service')).toBeUndefined()
  expect(await starts(`${process.execPath} ${mainFile} start`)).toMatchObject({ state: 'ok' })
  const stale = { state: 'warn', remedy: 'iris service install' }
  expect(await starts(`/nowhere/node ${mainFile} start`)).toMatchObject(stale)
  expect(await starts(`${process.execPath} /bin/sh start`)).toMatchObject(stale)
  expect(await starts(`${process.execPath} ${mainFile} start`, '/elsewhere')).toMatchObject(stale)
})
