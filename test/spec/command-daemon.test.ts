import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { commandTable } from '../../src/app/cli/table/table.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { neededWords } from '../support/needed-words.ts'
import { Installation } from '../support/program.ts'
import { type CommandEnding, runCommand, startHere } from '../support/run-command.ts'

/** Those that need none, or say themselves how it stands with it. */
const alone = [
  'status',
  'doctor',
  'stop',
  'completion',
  'install',
  'uninstall',
  'add-team',
  'remove-team',
  'logs',
  'audit',
  'audit verify',
  'config show',
  'config edit',
  'config validate',
  'config set',
  'config get',
  'config unset',
  'config undo',
  'cluster init',
  'cluster invite',
  'cluster join',
  'channels add',
  'channels delete',
  'service install',
  'service uninstall',
  'service status',
  'adopt',
  'backup',
  'restore',
]
/** They are about the daemon itself. */
const starters = ['start', 'restart', 'demo', 'cluster demo', 'mcp']

test.each(
  commandTable
    .filter(({ name }) => !starters.includes(name))
    .map((spec) => [spec.name, alone.includes(spec.name), spec] as const),
)(
  'iris %s without a daemon: does without it %s, else starts one, and says why where none can run',
  async (name, isAlone, spec) => {
    await using iris = await Installation.create({ claude: 'either', teams: ['backend'] })
    writeFileSync(join(iris.world.home, 'config.yaml'), 'settings: { maxProcesses: many }\n', { mode: 0o600 })
    const words = [...name.split(' '), ...neededWords(spec), '--json']
    const env = { EDITOR: 'true', PATH: '/usr/bin:/bin' }
    // One command shows it with real processes: all find and start the daemon with the same function.
    const isReal = name === 'teams list'
    const running = isReal
      ? iris.run(words, { env })
      : runCommand(iris.world, words, { env, stdin: 'hello\n', spawnDaemon: startHere })
    const { code, stdout, stderr } = await running
    const hasTried = stderr.includes('The daemon is not running.')
    const found = { name, code, hasTried, stdout, stderr }
    const why = { hasTried: true, code: 3, stderr: expect.stringContaining('maxProcesses') }
    expect(found).toMatchObject({
      ...(isAlone ? { hasTried: false } : why),
      stdout: expect.stringMatching(/^\{.*\}\n$/),
    })
  },
)

test('a message starts the daemon and says so; after it has stopped its log and its audit are read without one', async () => {
  using claude = fakeClaude({ script: { rules: [{ steps: [{ text: 'The answer.' }] }] } })
  const team = { claudePath: claude.claudePath, env: claude.env }
  await using iris = await Installation.create({
    claude: 'either',
    teams: { backend: team },
    settings: { logLevel: 'info' },
  })
  const told = await iris.run(['tell', 'backend', 'hello'])
  const pid = iris.daemon()?.pid
  expect(told).toMatchObject({
    code: 0,
    stdout: 'The answer.\n',
    stderr: `Iris was not running; it was started (pid ${pid}).\n`,
  })
  const run = (...words: string[]): Promise<CommandEnding> => runCommand(iris.world, words)
  expect(await run('teams', 'list')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^backend  awake  \//),
  })
  await run('remove-team', 'backend')
  const live = await run('audit')
  expect(await iris.run(['stop'])).toMatchObject({ code: 0, stdout: `Iris has stopped (pid ${pid}).\n` })

  const logs = await run('logs', '--text', 'answered')
  expect(logs).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('backend') })
  const audit = await run('audit')
  const newest = live.stdout.trimEnd().split('\n').at(-1)!
  expect(audit.stdout).toContain(newest.slice(newest.indexOf(')')))
  expect(await run('audit', 'verify')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^All \d+ entries are intact/),
  })
  expect(iris.daemon()).toBeUndefined()

  const monitor = iris.start(['monitor', '--json'])
  await eventually(() => monitor.stdout.includes('"snapshot"'), 'the monitor tells how things stand')
  expect(monitor.stderr).toContain('it was started')
})

test('in the directory of a team a message is of that team, as of the bridge there, and the command says so', async () => {
  using claude = fakeClaude()
  const team = { claudePath: claude.claudePath, env: claude.env }
  await using iris = await TestIris.start({ claude: 'either', teams: { frontend: team, backend: team } })
  const cwd = iris.world.directory('frontend')
  const from = async (words: readonly string[], where = cwd): Promise<readonly unknown[]> => {
    const { stdout, stderr, code } = await runCommand(iris.world, [...words, '--json'], { cwd: where })
    expect({ code, words }).toEqual({ code: 0, words })
    return [JSON.parse(stdout).from, stderr]
  }
  const said = 'You speak as frontend, the team of this directory. Use --from you to speak as yourself.\n'
  expect(await from(['tell', 'backend', 'x'])).toEqual(['frontend', said])
  expect(await from(['notify', 'backend', 'x'])).toEqual(['frontend', said])
  expect(await from(['wake', 'backend'])).toEqual(['frontend', said])
  expect(await from(['wake-all'])).toEqual(['frontend', said])
  expect(await from(['sleep', 'backend'])).toEqual(['frontend', said])
  expect(await from(['tell', 'backend', 'x', '--from', 'external'])).toEqual(['external', ''])
  expect(await from(['sleep', 'backend', '--from', 'external'])).toEqual(['external', ''])
  // Its own team is asked by its person, who would else wait for themselves.
  expect(await from(['tell', 'frontend', 'x'])).toEqual(['external', ''])
  expect(await from(['tell', 'backend', 'x'], iris.world.root)).toEqual(['external', ''])
  // A job that runs again asks and pays once.
  const job = ['tell', 'backend', 'x', '--key', 'job 7', '--json']
  const turns = [await runCommand(iris.world, job), await runCommand(iris.world, job)].map(
    ({ stdout }) => JSON.parse(stdout).turnId,
  )
  expect(turns).toEqual([expect.any(String), turns[0]])
  expect(await runCommand(iris.world, ['tell', 'backend', 'x', '--key', ''])).toMatchObject({ code: 2 })
  // The daemon's configuration decides the team, as for the bridge.
  writeFileSync(join(iris.world.home, 'config.yaml'), 'teams: a mistake')
  expect(await from(['tell', 'backend', 'x'])).toEqual(['frontend', said])
})

test('a family of commands does the usual thing, and cancel takes the only message that runs', async () => {
  using claude = fakeClaude({ script: (file) => ({ rules: [{ steps: [{ waitForFile: file('never') }] }] }) })
  const team = { claudePath: claude.claudePath, env: claude.env }
  await using iris = await TestIris.start({ claude: 'either', teams: { frontend: team, backend: team } })
  const run = (...words: string[]): Promise<CommandEnding> => runCommand(iris.world, words)
  expect((await run('teams')).stdout).toBe((await run('teams', 'list')).stdout)
  expect((await run('config')).stdout).toBe((await run('config', 'show')).stdout)
  expect(await run('teams', '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('list') })

  expect(await run('cancel')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No message is running or waiting.'),
  })
  const first = (await run('tell', 'backend', 'one', '--async')).stdout.trim()
  const second = (await run('tell', 'frontend', 'two', '--async')).stdout.trim()
  const both = await run('cancel')
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('2 messages are running or waiting:') })
  for (const turnId of [first, second]) expect(both.stderr).toContain(turnId.slice(0, 8))
  expect(await run('cancel', first)).toMatchObject({ code: 0 })
  expect(await run('cancel', '--json')).toMatchObject({ code: 0, stdout: expect.stringContaining(second) })
})

test('of six commands that find none, one starts the daemon, and all use it', async () => {
  await using iris = await Installation.create({ claude: 'either', teams: ['backend'] })
  const ends = await Promise.all(Array.from({ length: 6 }, () => iris.run(['sessions', '--json'])))
  expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    ends.map(() => ({ code: 0, stderr: expect.any(String) })),
  )
  // A daemon in vain says in the log that another one runs.
  expect(readFileSync(join(iris.world.home, 'logs/daemon.log'), 'utf8')).not.toContain(
    'is already running for this IRIS_HOME',
  )
})

test('of two homes with the usual port each has one', async () => {
  const usual = async (): Promise<TestIris> => {
    return await TestIris.start({ claude: 'either', teams: ['backend'], settings: { httpPort: 1615 } })
  }
  await using first = await usual()
  await using second = await usual()
  const ports = [first, second].map((iris) => iris.port)
  expect(new Set(ports).size).toBe(2)
  expect(await runCommand(second.world, ['status'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`:${ports[1]}/mcp`),
  })
})

test('a start with a store that another program holds locked says that nothing runs, and what to do then', async () => {
  await using iris = await Installation.create({ claude: 'either', teams: ['backend'] })
  mkdirSync(join(iris.world.home, 'data'), { recursive: true, mode: 0o700 })
  using store = new DatabaseSync(join(iris.world.home, 'data/team-sessions.db'))
  store.exec('PRAGMA journal_mode = DELETE; CREATE TABLE a (b); BEGIN EXCLUSIVE')
  const { code, stderr } = await runCommand(iris.world, ['start', '--background'], { spawnDaemon: startHere })
  expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('The daemon is not running. It ended') })
  expect(stderr).toContain('another program has locked it')
  expect(stderr).toContain('a backup or a database browser. Then try again. A running daemon needs no restart.')
  expect(stderr).not.toContain('continues by itself')
})
