import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import { dashboard } from '../../src/app/doctor/dashboard.ts'
import { sha256 } from '../../src/base/lib/sha256.ts'
import { isTagged } from '../../src/platform/machine/process-tag.ts'
import { eventually } from '../support/eventually.ts'
import { findings } from '../support/findings.ts'
import { Installation } from '../support/program.ts'
import { scratchDirectory } from '../support/scratch.ts'

/** Every file of the home with its rights and its bytes. */
function snapshot(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const facts = lstatSync(join(home, name))
      const content = facts.isFile() ? readFileSync(join(home, name), 'latin1') : ''
      return `${name} ${(facts.mode & 0o777).toString(8)} ${content}`
    })
}

/** Something that an agent of this Iris left running. */
function leftBehind(iris: Installation) {
  const irisTag = sha256(iris.world.home).slice(0, 16)
  const env = { PATH: iris.env['PATH'] ?? '', IRIS_PROCESS: irisTag, LEFT_BY: iris.world.root }
  const child = spawn('sleep', ['600'], { env, detached: true, stdio: 'ignore' })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    pid: child.pid!,
    gone,
    marked: () => isTagged(child.pid!, irisTag),
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  }
}

test('--fix closes files, removes what a killed daemon left, ends its orphans, says each, and has nothing to do the second time', async () => {
  await using iris = await Installation.create({ claude: 'either' })
  const { home } = iris.world
  const program = await iris.startDaemon()
  program.child.kill('SIGKILL')
  await program.ended
  using orphan = leftBehind(iris)
  await eventually(() => existsSync(`/proc/${orphan.pid}/environ`), 'the orphan')
  const open = join(home, 'output_streams', 'open')
  mkdirSync(open, { recursive: true })
  writeFileSync(join(open, 'stream.log'), 'said')
  chmodSync(open, 0o750)
  chmodSync(join(open, 'stream.log'), 0o644)
  const [ofClaude, kept] = [join(iris.world.root, 'x.jsonl'), join(home, 'data', 'x.jsonl')]
  writeFileSync(ofClaude, 'said')
  chmodSync(ofClaude, 0o644)
  linkSync(ofClaude, kept)
  const before = await findings(iris)
  const fixable = ['home', 'lock', 'orphans'].map((check) => before.of(check))
  for (const finding of fixable) expect(finding).toMatchObject({ state: 'warn', canFix: true })
  expect(before.of('orphans')?.detail).toContain(`${orphan.pid} (sleep 600)`)

  const fixed = await findings(iris, ['--fix'])
  expect(fixed.done).toEqual([
    expect.stringContaining(join(open, 'stream.log')),
    expect.stringContaining('daemon.json'),
    'ended 1 process of a dead daemon',
  ])
  await orphan.gone
  for (const check of ['home', 'lock', 'orphans']) expect(fixed.of(check)).toMatchObject({ check, state: 'ok' })
  expect(lstatSync(open).mode & 0o777).toBe(0o700)
  expect(lstatSync(join(open, 'stream.log')).mode & 0o777).toBe(0o600)
  // The second name of a record of Claude Code's: the mode of its file is the user's.
  expect(lstatSync(ofClaude).mode & 0o777).toBe(0o644)
  const after = snapshot(home)
  expect((await findings(iris, ['--fix'])).done).toEqual([])
  expect(snapshot(home)).toEqual(after)
})

test('a credential that others could read is replaced, not only closed; of a running daemon only named', async () => {
  await using iris = await Installation.create({ claude: 'either' })
  const token = join(iris.world.home, 'token')
  const { child, ended } = await iris.startDaemon()
  chmodSync(token, 0o644)
  const beside = await findings(iris, ['--fix'])
  expect(beside.done).toEqual([])
  expect(beside.of('credential')).toMatchObject({ state: 'warn', remedy: expect.stringContaining('iris restart') })
  const former = readFileSync(token, 'utf8')
  child.kill('SIGTERM')
  await ended
  expect((await findings(iris, ['--fix'])).done).toEqual([expect.stringContaining(`removed ${token}`)])
  await iris.startDaemon()
  expect(readFileSync(token, 'utf8')).not.toBe(former)
  expect((await findings(iris)).of('credential')).toBeUndefined()
})

test('what belongs to a daemon that lives is left alone', async () => {
  await using iris = await Installation.create({ claude: 'either' })
  await iris.startDaemon()
  // Until then it ends itself what a former one has left.
  while (!(await fetch(`http://127.0.0.1:${iris.daemon()!.port}/ready`)).ok) await delay(20)
  using child = leftBehind(iris)
  await eventually(() => existsSync(`/proc/${child.pid}/environ`), 'the process')
  const { done, of } = await findings(iris, ['--fix'])
  expect({ done, orphans: of('orphans')?.state, lock: of('lock')?.state }).toEqual({
    done: [],
    orphans: 'ok',
    lock: 'ok',
  })
  expect(await child.marked()).toBe(true)
})

test('a lock that is damaged is removed, and Iris starts', async () => {
  await using iris = await Installation.create({ claude: 'either' })
  const { home } = iris.world
  chmodSync(home, 0o700)
  mkdirSync(join(home, 'data'), { mode: 0o700 })
  writeFileSync(join(home, 'data/lock.db'), 'no lock at all, '.repeat(500), { mode: 0o600 })
  expect((await findings(iris)).of('lock')).toMatchObject({ state: 'fail', canFix: true })
  const { done, of } = await findings(iris, ['--fix'])
  expect(done).toEqual([expect.stringContaining('removed the damaged')])
  expect(of('lock')?.state).toBe('ok')
  await iris.startDaemon()
})

test('inside an agent nothing is fixed or probed, also when it takes the mark out of its environment', async () => {
  await using iris = await Installation.create({ claude: 'either' })
  chmodSync(iris.world.home, 0o755)
  const irisTag = sha256(iris.world.home).slice(0, 16)
  const env = { ...iris.env, IRIS_PROCESS: irisTag }
  for (const option of ['--fix', '--probe']) {
    const refused = await iris.run(['doctor', option], { env })
    expect(refused).toMatchObject({ code: 7, stderr: expect.stringContaining('inside an agent of Iris') })
    const script = `env -u IRIS_PROCESS "$0" "$@"; exit $?`
    const args = ['-c', script, process.execPath, ...nodeArguments('doctor', option)]
    const child = spawn('sh', args, { env, stdio: 'ignore' })
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(7)
  }
  expect(lstatSync(iris.world.home).mode & 0o777).toBe(0o755)
  expect((await findings(iris, [], { IRIS_PROCESS: irisTag })).of('home')?.state).toBe('warn')
})

test('a dashboard whose files are not all there is thrown away where it can be built again', async () => {
  using scratch = scratchDirectory()
  const built = join(scratch.path, 'dist/dashboard')
  mkdirSync(join(built, 'assets'), { recursive: true })
  mkdirSync(join(scratch.path, 'dashboard'))
  writeFileSync(join(built, 'index.html'), '<script src="/assets/a.js"></script><link href="/assets/b.css">')
  writeFileSync(join(built, 'assets/a.js'), '')
  expect(dashboard(scratch.path)).toMatchObject([{ state: 'fail', remedy: 'Install Iris again.' }])
  writeFileSync(join(scratch.path, 'dashboard/index.html'), '')
  const [finding] = dashboard(scratch.path)
  expect(finding).toMatchObject({ state: 'warn', detail: `${built} lacks assets/b.css` })
  expect(await finding?.fix?.()).toContain('rebuilds it')
  expect(existsSync(built)).toBe(false)
  expect(dashboard(scratch.path)).toEqual([])
})
