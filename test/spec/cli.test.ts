import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import { irisVersion } from '../../src/base/protocol/version.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { Installation, processesOf } from '../support/program.ts'
import { firstIn } from '../support/tier.ts'

const escape = '\u001B'

function endpoint(iris: Installation) {
  return { port: iris.daemon()!.port, token: iris.world.token() }
}

test('--version and --help go to stdout and exit with 0', async () => {
  await using iris = await Installation.create()
  expect(await iris.run(['--version'])).toMatchObject({ code: 0, stdout: `iris ${irisVersion}\n`, stderr: '' })
  const { code, stdout, stderr } = await iris.run(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const commands = ['tell', 'result', 'why', 'status', 'sessions', 'dashboard', 'permissions', 'teams', 'doctor']
  for (const command of commands) expect(stdout).toContain(`\n  ${command} `)
  expect(stdout).not.toContain(escape)
})

test('more than a pipe holds reaches its reader whole, and a reader who leaves ends the command', async () => {
  await using iris = await Installation.create()
  const config = join(iris.world.home, 'config.yaml')
  appendFileSync(config, `# ${'a long line that says nothing '.repeat(10)}at all\n`.repeat(2_500))
  const intoPipe = (reader: string): string => {
    const command = [process.execPath, ...nodeArguments('config', 'show')]
    return execFileSync('sh', ['-c', `"$@" | ${reader}`, 'sh', ...command], { env: iris.env, encoding: 'utf8' })
  }
  expect(Number(intoPipe('wc -c'))).toBeGreaterThanOrEqual(readFileSync(config).length)
  expect(intoPipe('head -n 1').split('\n')).toHaveLength(2)
})

test('output that is lost is an error, and no answer that a script takes for empty', async () => {
  await using iris = await Installation.create()
  const intoFull = (...words: readonly string[]) =>
    spawnSync('sh', ['-c', '"$@" >/dev/full', 'sh', process.execPath, ...nodeArguments(...words)], {
      env: iris.env,
      encoding: 'utf8',
    })
  for (const words of [['--version'], ['completion', 'bash'], ['status', '--json']]) {
    expect(intoFull(...words)).toMatchObject({
      status: 1,
      stderr: `error: The output could not be written (ENOSPC).
Check that its disk is not full. Iris keeps each answer: "iris result <turn>" shows it again.
`,
    })
  }
})

test('in a directory that was removed, a command that needs it says so', async () => {
  await using iris = await Installation.create()
  const command = [process.execPath, ...nodeArguments('add-team', '.')]
  const gone = spawnSync('sh', ['-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh', ...command], {
    cwd: iris.world.root,
    env: iris.env,
    encoding: 'utf8',
  })
  expect(gone).toMatchObject({
    status: 1,
    stderr: `error: The directory in which you run this command was removed.
Change to another directory, then try again.
`,
  })
})

test('an unknown word exits with 2 and names the nearest one', async () => {
  await using iris = await Installation.create()
  const [command, option, extra] = await Promise.all([
    iris.run(['sttatus']),
    iris.run(['status', '--jsn']),
    iris.run(['token', 'please']),
  ])
  expect(command).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: .*sttatus.*\n.*status/) })
  expect(option).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: .*--jsn.*\n.*--json/) })
  expect(extra).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: .*\nRun "iris token --help"/) })
})

test('help for a word that is no command names the nearest one, and --json alone is the status', async () => {
  await using iris = await Installation.create()
  for (const words of [
    ['help', 'sttatus'],
    ['sttatus', '--help'],
  ]) {
    expect(await iris.run(words)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: There is no command "sttatus".\nDid you mean status?\n',
    })
  }
  expect(await iris.run(['start', '--http'])).toMatchObject({
    code: 2,
    stderr:
      "error: Unknown option '--http'\nIt is always on: Iris serves HTTP on this machine beside the bridge. Leave --http out.\n",
  })
  const missing = await iris.run(['search'])
  expect(missing).toMatchObject({
    code: 2,
    stderr: `error: Missing required argument 'words'\nRun "iris search --help" to see how it is used.\n`,
  })
  expect(JSON.parse((await iris.run(['--json'])).stdout)).toEqual({ running: false, home: iris.world.home })
})

test('without a daemon: status, stop and no command say so and exit with 0, token starts one', {
  tags: ['thorough'],
}, async () => {
  await using iris = await Installation.create()
  expect(await iris.run(['status'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Iris is not running') })
  const { code, stdout } = await iris.run(['status', '--json'])
  expect({ code, told: JSON.parse(stdout) }).toEqual({ code: 0, told: { running: false, home: iris.world.home } })
  expect(await iris.run(['stop'])).toMatchObject({ code: 0, stdout: 'Iris is not running.\n' })
  expect(await iris.run([])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Iris is not running .*\nNext:\n.*iris start --background/s),
  })
  const told = await iris.run(['token'])
  expect(told).toMatchObject({
    code: 0,
    stdout: `${iris.world.token()}\n`,
    stderr: `Iris was not running; it was started (pid ${iris.daemon()?.pid}).\n`,
  })
})

test('a daemon in the foreground is found by status and token, and ended by stop', async () => {
  using claude = fakeClaude()
  const team = { claudePath: claude.claudePath, env: claude.env }
  await using iris = await Installation.create({ teams: { frontend: team, backend: team } })
  const daemon = await iris.startDaemon()
  const { pid } = daemon.child
  await ask(endpoint(iris), 'backend', 'hello', { fromTeam: 'frontend' })

  const json = JSON.parse((await iris.run(['status', '--json'])).stdout)
  expect(json).toMatchObject({
    running: true,
    home: iris.world.home,
    pid,
    port: iris.daemon()?.port,
    version: irisVersion,
    startedAt: expect.any(Number),
    teams: [
      { name: 'backend', status: 'awake', sessions: [{ from: 'frontend', messageCount: 1, queueLength: 0 }] },
      { name: 'frontend', status: 'asleep', sessions: [] },
    ],
    pool: { activeProcesses: 1, maxProcesses: 10 },
  })
  const { stdout } = await iris.run(['status'])
  expect(stdout).toContain(`pid ${pid}`)
  expect(stdout).toMatch(
    /^backend +awake .*\n +from frontend: idle \(pid \d+\), 1 message answered\nfrontend +asleep /m,
  )
  expect((await iris.run([])).stdout).toContain(`has been running for`)
  expect(await iris.run(['token'])).toMatchObject({ code: 0, stdout: `${iris.world.token()}\n`, stderr: '' })

  expect(await iris.run(['stop'])).toMatchObject({ code: 0, stdout: `Iris has stopped (pid ${pid}).\n` })
  expect(await daemon.ended).toMatchObject({ code: 0, stdout: '' })
  expect(processesOf(iris.world.root)).toEqual([])
})

test.each(firstIn(['SIGTERM', 'SIGINT'] as const))(
  '%s lets the answer that is being given end first',
  async (signal) => {
    using claude = fakeClaude({
      script: (file) => ({ rules: [{ steps: [{ waitForFile: file('go') }, { text: 'done' }] }] }),
    })
    await using iris = await Installation.create({
      teams: { backend: { claudePath: claude.claudePath, env: claude.env } },
    })
    const daemon = await iris.startDaemon()
    const answer = ask(endpoint(iris), 'backend', 'hello')
    await eventually(() => claude.oracle().some(({ event }) => event === 'message'), 'the message to be worked on')
    daemon.child.kill(signal)
    await eventually(() => daemon.stderr.includes('Stopping'), 'the daemon to say that it stops')
    claude.open('go')
    expect(await answer).toMatchObject({ status: 'completed', response: 'done' })
    expect(await daemon.ended).toMatchObject({ code: 0, signal: null })
    expect(iris.daemon()).toBeUndefined()
  },
)

test('a second signal ends the daemon without waiting, and what it was doing is kept', {
  tags: ['thorough'],
}, async () => {
  using claude = fakeClaude({ script: (file) => ({ rules: [{ steps: [{ waitForFile: file('never') }] }] }) })
  await using iris = await Installation.create({
    teams: { backend: { claudePath: claude.claudePath, env: claude.env } },
  })
  const daemon = await iris.startDaemon()
  const answer = ask(endpoint(iris), 'backend', 'hello').catch(() => 'cut off')
  await eventually(() => claude.oracle().some(({ event }) => event === 'message'), 'the message to be worked on')
  daemon.child.kill('SIGTERM')
  await eventually(() => daemon.stderr.includes('Stopping'), 'the daemon to say that it stops')
  daemon.child.kill('SIGTERM')
  expect(await daemon.ended).toMatchObject({ code: 0, signal: null })
  expect(await answer).toBe('cut off')
  expect(iris.rows('SELECT message, outcome FROM turns')).toEqual([{ message: 'hello', outcome: null }])
  await eventually(() => processesOf(iris.world.root).length === 0, 'the process of Claude Code to end')
})

test('a second daemon for the same home is refused, naming the first', async () => {
  await using iris = await Installation.create()
  const { child } = await iris.startDaemon()
  const { code, stderr } = await iris.run(['start'])
  expect(code).toBe(5)
  expect(stderr).toMatch(new RegExp(`^error: .*pid ${child.pid}, port ${iris.daemon()?.port}.*\\n.*iris stop`, 'm'))
})

test('a port that another program holds exits with 6 and says which', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const httpPort = typeof address === 'object' && address ? address.port : 0
  await using iris = await Installation.create({ settings: { httpPort } })
  const { code, stderr } = await iris.run(['start'])
  other.close()
  expect(code).toBe(6)
  expect(stderr).toMatch(new RegExp(`^error: Another program is using port ${httpPort} .*\\n.*settings.httpPort`, 'm'))
})

test('a broken configuration exits with 3 and names file, line and key', async () => {
  await using iris = await Installation.create()
  const file = join(iris.world.home, 'config.yaml')
  writeFileSync(file, 'settings:\n  maxProcesses: many\n', { mode: 0o600 })
  const { code, stderr } = await iris.run(['start'])
  expect(code).toBe(3)
  expect(stderr).toContain(`${file}:2`)
  expect(stderr).toContain('settings.maxProcesses')
  const { code: relative, stderr: why } = await iris.run(['status'], { env: { IRIS_HOME: 'iris' } })
  expect({ relative, why }).toMatchObject({ relative: 3, why: expect.stringMatching(/^error: IRIS_HOME .*\n/) })
})

test('the file of a killed daemon fools nobody', { tags: ['thorough'] }, async () => {
  await using iris = await Installation.create()
  const daemon = await iris.startDaemon()
  daemon.child.kill('SIGKILL')
  await daemon.ended
  expect(iris.daemon()).toBeDefined()
  expect(await iris.run(['status'])).toMatchObject({ code: 0, stdout: expect.stringContaining('not running') })
  expect(await iris.run(['stop'])).toMatchObject({ code: 0, stdout: 'Iris is not running.\n' })
  await iris.startDaemon()
})

test('a daemon that lives but does not answer is told apart from none', { tags: ['thorough'] }, async () => {
  await using iris = await Installation.create()
  const { child } = await iris.startDaemon()
  child.kill('SIGSTOP')
  const stopped = await iris.run(['status'])
  child.kill('SIGCONT')
  expect(stopped).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(new RegExp(`pid ${child.pid}.*does not answer`)),
  })
})
