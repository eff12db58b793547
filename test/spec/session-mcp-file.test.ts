import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { sessionEndpointIn, sessionMcpDirectory, sessionMcpFiles } from '../support/session-mcp-file.ts'
import { Stage } from '../support/stage.ts'
import { createWorld } from '../support/world.ts'

const enabled = { sessionMcpEnabled: true }
const mode = (path: string) => statSync(path).mode & 0o777

test('without sessionMcpEnabled nothing is written into a project', async () => {
  await using stage = await Stage.start()
  await ask(stage.iris, 'backend', 'hello')
  expect(readdirSync(stage.iris.world.directory('backend'))).toEqual([])
})

test('while a process lives its file is there, for its owner only and for no repository; then it is gone', async () => {
  await using stage = await Stage.start({ settings: enabled })
  const { world } = stage.iris
  const { sessionId } = await ask(stage.iris, 'backend', 'hello')
  const directory = sessionMcpDirectory(world, 'backend')
  const file = join(directory, `${sessionId}.json`)
  expect([mode(file), mode(directory), mode(dirname(directory))]).toEqual([0o600, 0o700, 0o700])
  expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('*\n')
  await callTool(stage.iris, 'team_sleep', { team: 'backend' })
  expect(sessionMcpFiles(world, 'backend')).toEqual([])
  expect(readdirSync(join(world.home, 'data/session-mcp'))).toEqual([])
})

test('the token stands in the file and nowhere else', async () => {
  await using stage = await Stage.start({ settings: enabled })
  const { world } = stage.iris
  const { sessionId } = await ask(stage.iris, 'backend', 'hello')
  const { token } = sessionEndpointIn(join(sessionMcpDirectory(world, 'backend'), `${sessionId}.json`))
  const { pid } = await stage.iris.event('process-spawned')
  const told = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
  expect(told.join()).toContain(sessionId)
  const kept = readdirSync(world.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  expect([...told, ...kept].some((text) => text.includes(token))).toBe(false)
})

test('a team may have it elsewhere, or not at all', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start({
    settings: enabled,
    teams: {
      backend: { sessionMcpPath: 'tmp/endpoints' },
      mobile: { sessionMcpEnabled: false },
      frontend: { sessionMcpPath: '~/endpoints' },
    },
  })
  const { world } = stage.iris
  const { sessionId } = await ask(stage.iris, 'backend', 'hello')
  expect(existsSync(join(world.directory('backend'), `tmp/endpoints/${sessionId}.json`))).toBe(true)
  await ask(stage.iris, 'mobile', 'hello')
  expect(sessionMcpFiles(world, 'mobile')).toEqual([])
  const other = await ask(stage.iris, 'frontend', 'hello')
  expect(mode(join(world.root, `endpoints/${other.sessionId}.json`))).toBe(0o600)
})

test('a process that has none is replaced by one that has when the configuration says so', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start()
  const { world } = stage.iris
  await ask(stage.iris, 'backend', 'hello')
  world.writeConfig({ settings: { ...enabled, claudePath: stage.fake.claudePath, env: { ...stage.fake.env } } })
  await stage.iris.event('config-reloaded')
  await ask(stage.iris, 'backend', 'again')
  expect(sessionMcpFiles(world, 'backend')).toHaveLength(1)
  expect(stage.starts()).toEqual(['start', 'resume'])
})

test('what a daemon that was killed left behind is removed at the next start, whatever config.yaml says by then', {
  tags: ['thorough'],
}, async () => {
  using fake = fakeClaude()
  const settings = { claudePath: fake.claudePath, env: { ...fake.env } }
  await using world = await createWorld({ settings: { ...settings, ...enabled }, teams: ['backend'] })
  await using first = await DaemonProcess.start(world)
  await ask(first, 'backend', 'hello')
  await first.kill()
  expect(sessionMcpFiles(world, 'backend')).toHaveLength(1)
  world.writeConfig({ settings: { ...settings, sessionMcpEnabled: false, sessionMcpPath: 'elsewhere' }, teams: {} })
  await using _second = await nextDaemon(world)
  await eventually(() => sessionMcpFiles(world, 'backend').length === 0, 'the file is removed')
  expect(readdirSync(join(world.home, 'data/session-mcp'))).toEqual([])
})

const linked = ['.claude', '.claude/iris', '.claude/iris/mcp']

test.each(linked)('a link at %s redirects nothing: the process is not started, and says why', async (at) => {
  await using stage = await Stage.start({ settings: enabled })
  const { world } = stage.iris
  const [target, link] = [join(world.root, 'target'), join(world.directory('backend'), at)]
  mkdirSync(join(target, 'iris/mcp'), { recursive: true })
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(target, link)
  const answer = await ask(stage.iris, 'backend', 'hello')
  expect(answer).toMatchObject({ status: 'failed', reason: 'spawn_failed' })
  expect(answer.detail).toMatch(
    /^The session MCP configuration of team "backend" .* is a link, or not a directory\)\. .*sessionMcpPath/s,
  )
  expect(readdirSync(target, { recursive: true, encoding: 'utf8' }).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'iris',
    'iris/mcp',
  ])
  rmSync(link)
  expect(await ask(stage.iris, 'backend', 'hello')).toMatchObject({ status: 'completed' })
})

test.each([
  ['a link', (path: string, target: string) => symlinkSync(target, path)],
  ['a file of the wrong mode', (path: string) => writeFileSync(path, 'old', { mode: 0o644 })],
])('%s planted under the name of the file is replaced, and what it led to stays', async (_what, plant) => {
  await using stage = await Stage.start({ settings: enabled })
  const { world } = stage.iris
  const { sessionId } = await ask(stage.iris, 'backend', 'hello')
  await callTool(stage.iris, 'team_sleep', { team: 'backend' })
  const [target, file] = [join(world.root, 'target'), join(sessionMcpDirectory(world, 'backend'), `${sessionId}.json`)]
  writeFileSync(target, 'precious')
  plant(file, target)
  await ask(stage.iris, 'backend', 'again')
  expect(readFileSync(target, 'utf8')).toBe('precious')
  expect(lstatSync(file).isFile()).toBe(true)
  expect(mode(file)).toBe(0o600)
})

test('a directory that others can write to is not used', async () => {
  await using stage = await Stage.start({ settings: { ...enabled, sessionMcpPath: 'shared' }, teams: ['backend'] })
  const shared = join(stage.iris.world.directory('backend'), 'shared')
  mkdirSync(shared)
  chmodSync(shared, 0o777)
  expect(await ask(stage.iris, 'backend', 'hello')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('others may write to it'),
  })
  expect(readdirSync(shared)).toEqual([])
})
