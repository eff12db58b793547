import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { hidden } from '../support/mounted.ts'
import { Installation, irisCommand } from '../support/program.ts'
import { createWorld } from '../support/world.ts'

/** Runs `iris` behind these words. */
function runBehind(iris: Installation, by: readonly string[], words: string) {
  const [command, ...args] = by
  return spawnSync(command!, [...args, ...irisCommand.split(' '), ...words.split(' ')], {
    env: iris.env,
    encoding: 'utf8',
  })
}

const allowing = (most: number) => ['sh', '-c', `ulimit -n ${most}; exec "$@"`, 'sh']

test('a daemon that may open too few files does not start, and doctor says why', async () => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['backend'] })
  const why =
    'error: Iris may open only 64 files at once, but needs at least 128.\nRaise the limit where Iris is started: '
  const started = runBehind(iris, allowing(64), 'start')
  expect(started.status).toBeGreaterThan(0)
  expect(started.stderr.startsWith(why)).toBe(true)
  const { stdout } = runBehind(iris, allowing(64), 'doctor')
  expect(stdout).toMatch(/^fail {2}files {10}Iris may open only 64 files at once/m)
})

test('a file that was passed on and is beyond the limit is named in the failure of a message', async () => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['backend'] })
  const { status, stderr } = runBehind(
    iris,
    ['bash', '-c', 'exec 200</dev/null; ulimit -n 150; exec "$@"', 'bash'],
    'tell backend hello',
  )
  expect(status).toBeGreaterThan(0)
  // The program that runs the tests may have passed on a higher one.
  expect(stderr).toMatch(/Iris was started with the open file [2-9]\d\d+, but may have only 150 files open/)
  expect(stderr).toMatch(/"iris start \d+>&-"/)
})

test('a file too many, wherever it is opened, is a sentence', async () => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['backend'] })
  const fails = `const look = () => {
    if (process.listenerCount('uncaughtException') === 0) return setImmediate(look)
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', path: '/some/file' })
  }
  setImmediate(look)`
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(fails)}`, ...nodeArguments('start')],
    { env: iris.env, encoding: 'utf8' },
  )
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /^error: \/some\/file cannot be used: too many files are open \(EMFILE\)\.\n.*"ulimit -n"\.\n$/,
    ),
  })
})

test('on Linux without /proc a message fails with that reason', async () => {
  await using world = await createWorld({ claude: 'fake', teams: { frontend: {}, backend: { isolation: 'none' } } })
  await using daemon = await DaemonProcess.start(world, 'none', '', hidden('/proc'))
  const why = 'Claude Code for Linux does not run without /proc, and this machine has none. Mount it: '
  for (const team of ['frontend', 'backend']) {
    const failed = await ask(daemon, team, 'hello')
    expect(failed).toMatchObject({ status: 'failed', reason: 'spawn_failed', delivered: false })
    expect(failed.detail).toContain(why)
  }
})

test('doctor names a missing /proc as the reason why Claude Code cannot be asked', async () => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['backend'] })
  const { stdout } = runBehind(iris, hidden('/proc'), 'doctor')
  expect(stdout).toMatch(/^fail {2}claude {9}Claude Code for Linux does not run without \/proc/m)
  expect(stdout).not.toContain('Report it')
})
