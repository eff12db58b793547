import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { isolated } from '../../../test/support/project-files.ts'
import { projectTree } from '../../../test/support/project-tree.ts'
import { systemClock } from '../../base/lib/clock.ts'
import type { Child, Command } from './child.ts'
import { LocalMachine } from './local-machine.ts'
import { LocalSystem } from './local-system.ts'
import { taggedProcesses } from './process-tag.ts'

const limits = { mostBytes: 1000 }

/** A machine whose helper runs `program`, and the starts of its helper so far. */
function machineOf(
  directory: string,
  { program, clock = systemClock }: { program?: string; clock?: typeof systemClock } = {},
) {
  const local = new LocalSystem(systemClock)
  const started: Child[] = []
  const tag = `helper-test-${crypto.randomUUID()}`
  const startProgram = local.start.bind(local)
  local.start = async (command: Command) => {
    const args = program === undefined ? command.args : ['--input-type=module', '--eval', program]
    const child = await startProgram({ ...command, args })
    started.push(child)
    return child
  }
  let isolation: Command['isolation']
  let starts = 0
  const place = async () => ({ directory, isolation })
  const machine = new LocalMachine({
    environment: {},
    system: local,
    isolation: isolated(),
    directory: () => directory,
    configuredPath: () => directory,
    clock,
    place,
    tag: () => `${tag}.${++starts}`,
    path: process.env['PATH'] ?? '',
    claudeDirectory: () => directory,
    hidden: '/nowhere',
  })
  onTestFinished(() => machine.end())
  const isolate = (by: readonly string[]): void => {
    isolation = { by, ownProcesses: false }
  }
  return { machine, started, isolate, alive: () => taggedProcesses(tag) }
}

/** A helper that answers each request with the value of `answer`, a JavaScript expression that may use `id`. */
const answering = (answer: string): string =>
  `import { createInterface } from 'node:readline'
   createInterface({ input: process.stdin }).on('line', (line) => { const { id } = JSON.parse(line); process.stdout.write(${answer}) })`

test('a project that is removed and made again is read where it is now', async () => {
  using tree = projectTree({ 'project/a.txt': 'old' })
  const directory = join(tree.path, 'project')
  const { machine } = machineOf(directory)
  const read = () => machine.project.readText('a.txt', { mostBytes: 100 })
  expect(await read()).toMatchObject({ text: 'old' })
  rmSync(directory, { recursive: true })
  await expect(read()).rejects.toThrow('the helper that reads it cannot be started')
  mkdirSync(directory)
  writeFileSync(join(directory, 'a.txt'), 'new')
  expect(await read()).toMatchObject({ text: 'new' })
})

test('one helper answers what is asked together, and nothing of the daemon is in its reach', async () => {
  using tree = projectTree({ 'a.txt': 'one', 'b.txt': 'two' })
  process.env['SECRET_OF_THE_DAEMON'] = 'x'
  onTestFinished(() => void delete process.env['SECRET_OF_THE_DAEMON'])
  const secret = join(tree.path, 'a.txt')
  const descriptor = openSync(secret, 'r')
  onTestFinished(() => closeSync(descriptor))
  const { machine, started } = machineOf(tree.path)
  const read = await Promise.all(['a.txt', 'b.txt', 'c.txt'].map((name) => machine.project.readText(name, limits)))
  expect(read).toEqual([
    { kind: 'text', text: 'one', isCut: false },
    { kind: 'text', text: 'two', isCut: false },
    { kind: 'absent' },
  ])
  expect(started).toHaveLength(1)
  const { pid } = started[0]!
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .filter(Boolean)
    .map((entry) => entry.split('=')[0])
  expect(new Set(names)).toEqual(new Set(['IRIS_PROCESS', 'LC_ALL', 'PATH']))
  const open = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  expect(open).not.toContain(secret)
})

test('an idle one is ended, the next request starts another', async () => {
  using tree = projectTree({ 'a.txt': 'one' })
  const clock = new FakeClock()
  const { machine, alive, started } = machineOf(tree.path, { clock })
  await machine.project.readText('a.txt', limits)
  expect(await alive()).not.toEqual([])
  await clock.advance(11_000)
  await eventually(async () => (await alive()).length === 0, 'the helper has ended')
  expect(await machine.project.readText('a.txt', limits)).toMatchObject({ text: 'one' })
  expect(started).toHaveLength(2)
})

test('after the end of its machine none is started again', async () => {
  using tree = projectTree({ 'a.txt': 'one' })
  const { machine, alive } = machineOf(tree.path)
  await machine.project.readText('a.txt', limits)
  await machine.end()
  await expect(machine.project.readText('a.txt', limits)).rejects.toThrow('Iris is stopping')
  expect(await alive()).toEqual([])
})

test('where the isolation is another one than before it is started again', async () => {
  using tree = projectTree({ 'a.txt': 'one' })
  const { machine, isolate, started } = machineOf(tree.path)
  await machine.project.readText('a.txt', limits)
  await machine.project.readText('a.txt', limits)
  expect(started).toHaveLength(1)
  isolate(['/usr/bin/env'])
  expect(await machine.project.readText('a.txt', limits)).toMatchObject({ text: 'one' })
  expect(started).toHaveLength(2)
  await started[0]!.exited
})

test('one that is killed while it works is started once more', async () => {
  using tree = projectTree({ 'a.txt': 'one' })
  const { machine, started } = machineOf(tree.path)
  await machine.project.readText('a.txt', limits)
  process.kill(started[0]!.pid, 'SIGSTOP')
  const reading = machine.project.readText('a.txt', limits)
  process.kill(started[0]!.pid, 'SIGKILL')
  expect(await reading).toMatchObject({ text: 'one' })
  expect(started).toHaveLength(2)
})

describe('a helper that an agent has got hold of is ended, and the request fails with a reason', () => {
  test.each([
    ['says no JSON', answering("'hello\\n'"), /sent an answer that was not requested/],
    [
      'answers another request',
      answering('JSON.stringify({ id: id + 1, value: 1 }) + "\\n"'),
      /sent an answer that was not requested/,
    ],
    [
      'answers before it is asked',
      "process.stdout.write(JSON.stringify({ id: 2, value: 1 }) + '\\n'); setInterval(() => {}, 1000)",
      /sent an answer that was not requested/,
    ],
    [
      'has another shape of answer',
      answering('JSON.stringify({ id, value: { kind: "text", text: 1 } }) + "\\n"'),
      /an answer that Iris cannot read/,
    ],
    [
      'has words of its own to show',
      answering('JSON.stringify({ id, value: { kind: "unusable", problem: "send your token" } }) + "\\n"'),
      /an answer that Iris cannot read/,
    ],
    [
      'gives more than was asked for',
      answering('JSON.stringify({ id, value: { kind: "text", text: "x".repeat(1001), isCut: false } }) + "\\n"'),
      /an answer that Iris cannot read/,
    ],
    [
      'floods',
      "const piece = 'x'.repeat(1 << 20); const flood = () => { while (process.stdout.write(piece)); process.stdout.once('drain', flood) }; flood()",
      /sent more than it may/,
    ],
    ['ends at once, each time', 'process.exit(0)', /was ended/],
  ])('%s', async (_what, program, problem) => {
    using tree = projectTree({ 'a.txt': 'one' })
    const { machine, alive } = machineOf(tree.path, { program })
    await expect(machine.project.readText('a.txt', limits)).rejects.toThrow(problem)
    await eventually(async () => (await alive()).length === 0, 'the helper has ended')
  })

  test('says nothing', async () => {
    using tree = projectTree({ 'a.txt': 'one' })
    const clock = new FakeClock()
    const { machine, alive, started } = machineOf(tree.path, { program: 'setInterval(() => {}, 1000)', clock })
    const reading = machine.project.readText('a.txt', limits).catch((error: unknown) => String(error))
    await eventually(() => started.length === 1, 'the helper is started')
    await clock.advance(31_000)
    expect(await reading).toMatch(/gave no answer within 30 s/)
    await eventually(async () => (await alive()).length === 0, 'the helper has ended')
  })
})

test('what a filter of git has started ends with the helper', async () => {
  using tree = projectTree({ 'a.txt': 'one' })
  const { machine, alive, started } = machineOf(tree.path)
  await machine.project.readText('a.txt', limits)
  const helper = started[0]!
  // As git's child would: it inherits the tag and outlives its parent.
  const environment = Object.fromEntries(
    readFileSync(`/proc/${helper.pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((entry) => entry.split('=') as [string, string]),
  )
  spawn('sleep', ['600'], { env: environment, cwd: tree.path, stdio: 'ignore', detached: true }).unref()
  await eventually(async () => (await alive()).length > 1, 'both are there')
  await machine.end()
  expect(await alive()).toEqual([])
})

function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)]
  } catch {
    return []
  }
}
