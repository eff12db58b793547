import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { localProcesses, signal } from './local-processes.ts'
import { taggedProcesses, tagVariable } from './process-tag.ts'

const module = fileURLToPath(new URL('watchdog.ts', import.meta.url))
const clock = fileURLToPath(new URL('../../base/lib/clock.ts', import.meta.url))
const system = fileURLToPath(new URL('local-system.ts', import.meta.url))
const scratch = scratchDirectory()
afterAll(() => scratch[Symbol.dispose]())
const home = randomUUID()
const life = randomUUID()

/** A daemon that starts a watchdog, and programs that ignore SIGTERM, with children in sessions of their own. */
const program = `
  import { spawn } from 'node:child_process'
  import { startWatchdog } from ${JSON.stringify(module)}
  import { systemClock } from ${JSON.stringify(clock)}
  import { LocalSystem } from ${JSON.stringify(system)}
  const machine = new LocalSystem(systemClock)
  const end = await startWatchdog(process.argv[1], { clock: systemClock, onTrouble: console.error, tags$: machine.tags$ })
  const deaf = "trap '' TERM; setsid sleep 60 & while :; do sleep 60; done"
  for (const tag of [process.argv[2], process.argv[3]]) {
    spawn('sh', ['-c', deaf], { env: { PATH: process.env.PATH, ${tagVariable}: tag }, detached: true, stdio: 'ignore' })
  }
  // Without its environment, its session and its parents: only its limit tag is left.
  const [file, bare] = [process.argv[4], { PATH: process.env.PATH, ${tagVariable}: process.argv[2] + '.bare' }]
  const away = '(env -i /usr/bin/env setsid sh -c "echo \\$\\$ > ' + file + '; exec sleep 300" &); exec sleep 300'
  const started = await machine.start({ executable: 'sh', args: ['-c', away], cwd: '/', env: bare })
  started.errors$.subscribe(() => {})
  process.stdin.once('data', () => { end(); process.exit() })
  console.log('ready')`

/** `own` is the tag of this daemon's life, `other` that of another daemon of the same home. */
async function daemon(): Promise<ChildProcess> {
  const tags = [`${home}.own.${life}`, `${home}.other.${randomUUID()}`]
  const args = ['--input-type=module', '-e', program, life, ...tags, bareFile]
  rmSync(bareFile, { force: true })
  const child = spawn(process.execPath, args, { stdio: 'pipe' })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  await eventually(async () => (await tagged('own')) >= 2 && (await tagged('other')) >= 2, 'they run')
  await eventually(() => existsSync(bareFile) && bare() > 0, 'something runs without its environment')
  return child
}

const bareFile = join(scratch.path, 'bare')
const bare = (): number => Number(readFileSync(bareFile, 'utf8'))
const bareLives = (): Promise<boolean> => localProcesses(systemClock).lives(bare(), undefined)

async function tagged(name: string): Promise<number> {
  return (await taggedProcesses(`${home}.${name}`)).length
}

afterEach(async () => {
  signal(bare(), 'SIGKILL')
  for (const pid of await taggedProcesses(home)) signal(pid, 'SIGKILL')
})

test('what a daemon has started is gone soon after its kill -9, and nothing of another daemon', async () => {
  const child = await daemon()
  expect(await bareLives()).toBe(true)
  child.kill('SIGKILL')
  await eventually(
    async () => !(await bareLives()),
    'what has neither its environment nor its session any more is gone',
  )
  await eventually(async () => (await tagged('own')) === 0, 'the orphans are gone')
  expect(await tagged('other')).toBeGreaterThanOrEqual(2)
})

test('a daemon that ends as it should leaves nobody who kills', async () => {
  const child = await daemon()
  const watchdogs = await watching()
  expect(watchdogs).toHaveLength(1)
  child.stdin!.write('end')
  await eventually(async () => (await watching()).length === 0, 'the watchdog has ended')
  expect(await tagged('own')).toBeGreaterThanOrEqual(2)
})

test('a watchdog that is killed is replaced', async () => {
  const child = await daemon()
  const [first] = await watching()
  signal(first!, 'SIGKILL')
  await eventually(async () => (await watching()).some((pid) => pid !== first), 'another one')
  child.kill('SIGKILL')
  await eventually(async () => (await tagged('own')) === 0, 'the orphans are gone')
  // The new watchdog knows the tags that the first one got.
  await eventually(async () => !(await bareLives()), 'what has only its limit tag is gone')
  expect(await tagged('other')).toBeGreaterThanOrEqual(2)
})

/** The watchdogs: shells with the life of this daemon in their command line. */
async function watching(): Promise<number[]> {
  const { readdir, readFile } = await import('node:fs/promises')
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return pids.filter((_, index) => /^[^\0]*sh\0-c\0/.test(lines[index]!) && lines[index]!.includes(life))
}
