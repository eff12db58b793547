import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandTable } from '../../src/app/cli/table/table.ts'
import { irisVersion } from '../../src/base/protocol/version.ts'
import { CommandsBehind } from '../support/commands-behind.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { full, hidden, readOnly, withModes } from '../support/mounted.ts'
import { neededWords } from '../support/needed-words.ts'
import { Installation } from '../support/program.ts'
import { type CommandEnding, runCommand } from '../support/run-command.ts'

/** They speak another protocol, or need no home. */
const others = ['mcp', 'demo', 'cluster demo', 'completion', 'service install', 'service uninstall', 'service status']
const names = commandTable.map(({ name }) => name).filter((name) => !others.includes(name))
/** They need no daemon. */
const alone = [
  'status',
  'doctor',
  'stop',
  'install',
  'uninstall',
  'add-team',
  'remove-team',
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
]

let iris: Installation
const claude = fakeClaude()
beforeAll(async () => {
  iris = await Installation.create({ teams: { backend: { claudePath: claude.claudePath, env: claude.env } } })
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  claude[Symbol.dispose]()
})

/** Runs the commands of a block in one process behind another command line. */
function commandsBehind(before: () => readonly string[], env: Readonly<Record<string, string>> = {}) {
  let commands: CommandsBehind
  beforeAll(() => {
    commands = new CommandsBehind(before(), iris.world)
  })
  afterAll(() => commands[Symbol.asyncDispose]())
  return (name: string) => commands.run(wordsOf(name), { env: { EDITOR: 'true', ...env }, stdin: 'hello\n' })
}

function wordsOf(name: string): readonly string[] {
  const spec = commandTable.find((each) => each.name === name)
  return [...name.split(' '), ...(spec === undefined ? [] : neededWords(spec)), '--json']
}

/** A stack trace, which tells a person nothing. */
const trace = /^ {4}at /m

describe('inside an agent whose isolation hides the home', () => {
  const run = commandsBehind(() => hidden(iris.world.home), { IRIS_PROCESS: 'iris.start' })

  test.each(names)('iris %s claims nothing of Iris that it cannot see', async (name) => {
    const ended = await run(name)
    const { stdout, stderr, code } = ended
    expect({ name, told: stdout + stderr }).toMatchObject({ told: expect.not.stringMatching(/not running|no config/i) })
    expect(stderr).not.toMatch(trace)
    // Looked at, or refused: what agents may not do they may not do here either. The doctor finds things wrong, as everywhere.
    expect({ name, code: name === 'doctor' ? 7 : code }).toEqual({ name, code: name === 'status' ? 0 : 7 })
  })

  test('status, and iris alone, say that Iris is not visible from here', async () => {
    expect(JSON.parse((await run('status')).stdout)).toEqual({
      running: null,
      visible: false,
      home: iris.world.home,
    })
    const { stdout } = await run('doctor')
    expect(JSON.parse(stdout).findings[0]).toMatchObject({ check: 'agent', state: 'warn' })
  })
})

describe('with a home that can only be read', () => {
  const runReadOnly = commandsBehind(() => readOnly(iris.world.home))
  const runForbidden = commandsBehind(() => withModes(iris.world.home, 'a-w'))
  const reads = [
    'status',
    'stop',
    'config show',
    'config validate',
    'config get',
    'config unset',
    'logs',
    'audit',
    'audit verify',
    'uninstall',
    'backup',
    'adopt',
  ]

  const said = (name: string, why: RegExp) => ({
    isDone: reads.includes(name),
    hasTrace: false,
    told: expect.stringMatching(reads.includes(name) ? /^/ : why),
  })
  const ended = async (running: Promise<CommandEnding>) => {
    const { code, stdout, stderr } = await running
    return { isDone: code === 0, hasTrace: trace.test(stderr), told: stdout + stderr }
  }

  // A host that is alone invites nobody, and writes nothing; a home that is there is restored from nothing, and nothing is undone.
  const writers = names.filter((name) => !['cluster init', 'cluster invite', 'restore', 'config undo'].includes(name))
  test.each(writers)('iris %s says so in words, or does not need to write', async (name) => {
    const why = /EROFS|can be written|(?:is|are) writable|not installed/i
    expect(await ended(runReadOnly(name))).toEqual(said(name, why))
  })

  // In the foreground `start` is the daemon itself, which gives itself the rights to a home of its own user.
  const some = ['start --background', 'tell', 'chat', 'config set', 'add-team', 'dashboard', 'status', 'audit', 'logs']
  test.each(some)('iris %s says that it is not permitted, where the modes forbid it', async (name) => {
    const why = /EACCES|can be written|(?:is|are) writable|not installed/i
    expect(await ended(runForbidden(name))).toEqual(said(name, why))
  })
})

describe('with a home that cannot be read', () => {
  const run = commandsBehind(() => withModes(iris.world.home, 'a='))
  const some = ['status', 'stop', 'start', 'tell', 'logs', 'audit verify', 'config show', 'uninstall', 'doctor']
  test.each(some)('iris %s names it and why, and claims nothing', async (name) => {
    const { code, stdout, stderr } = await run(name)
    expect(stderr).not.toMatch(trace)
    expect({ name, isDone: code === 0 }).toEqual({ name, isDone: false })
    expect({ name, told: stdout + stderr }).toMatchObject({ told: expect.stringContaining('EACCES') })
  })
})

describe('with a home on a full disk', () => {
  const run = commandsBehind(() => full(iris.world.home))
  test.each(['config set', 'add-team', 'start --background', 'tell', 'dashboard'])(
    'iris %s says so in words, and does not claim to have done it',
    async (name) => {
      const { code, stdout, stderr } = await run(name)
      expect(stderr).not.toMatch(trace)
      expect({ name, isDone: code === 0 }).toEqual({ name, isDone: false })
      expect({ name, told: stdout + stderr }).toMatchObject({ told: expect.stringMatching(/disk is full|ENOSPC/) })
      expect({ name, told: stdout + stderr }).toMatchObject({ told: expect.stringContaining(iris.world.home) })
    },
  )

  test.each(['status', 'config show', 'config validate'])('iris %s reads all the same', async (name) => {
    expect(await run(name)).toMatchObject({ code: 0, stderr: expect.not.stringMatching(trace) })
  })
})

describe('with a daemon of another version', () => {
  beforeAll(async () => {
    await iris.startDaemon()
    const file = join(iris.world.home, 'daemon.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: '0.0.1' }))
  })
  const ends = ['stop', 'restart', 'uninstall', 'install', 'monitor']
  const said = `The daemon is Iris 0.0.1, and this command is Iris ${irisVersion}. "iris restart" starts this one.`
  const asks = names.filter(
    (name) => !alone.includes(name) && ![...ends, 'start', 'dashboard', 'login', 'token'].includes(name),
  )

  test.each([...asks, 'start --background'])('iris %s names it', async (name) => {
    expect(await runCommand(iris.world, wordsOf(name), { env: { EDITOR: 'true' }, stdin: 'hello\n' })).toMatchObject({
      stderr: expect.stringContaining(`Note: ${said}`),
    })
  })

  test('so do status and iris alone', async () => {
    for (const words of [['status'], []]) {
      expect(await runCommand(iris.world, words)).toMatchObject({ code: 0, stdout: expect.stringContaining(said) })
    }
  })
})
