import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodeOf, interrupted, notAnswered, stillRunning, terminated } from '../../src/app/cli/exit-code.ts'
import { createProgram } from '../../src/app/cli/table/program.ts'
import { commandTable } from '../../src/app/cli/table/table.ts'
import type { DaemonFile } from '../../src/base/protocol/daemon.ts'
import { errorCodes } from '../../src/base/protocol/error.ts'
import { irisVersion } from '../../src/base/protocol/version.ts'
import { operationNames } from '../../src/features/contracts.ts'
import { TestContext } from '../support/command-context.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { Installation } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'
import { firstIn, isNightly } from '../support/tier.ts'

const escape = '\u001b'
const refuse = () => Promise.reject(new Error())
const daemon = {
  startDaemon: refuse,
  doctor: { diagnose: refuse, fix: refuse, problemsOf: refuse, probeInstalled: refuse },
  offline: { logs: refuse, audit: refuse, verifyAudit: refuse },
  home: { left: refuse, adopt: refuse, backup: refuse, restore: refuse },
  inspectChannel: refuse,
}

test.each(commandTable.map((spec) => [spec.name, spec] as const))(
  'iris %s has help: what it does, each argument and option in words, an example that begins so',
  async (name, { noJson }) => {
    const [first = '', second] = name.split(' ')
    const program = await createProgram([first], { context: new TestContext({ env: {} }), daemon, exitWith: () => {} })
    const family = program.commands.find((each) => each.name() === first)!
    const command = second === undefined ? family : family.commands.find((each) => each.name() === second)!
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    expect(command.description()).toMatch(/^[A-Z].+/)
    for (const each of [...command.registeredArguments, ...command.options]) expect(each.description).not.toBe('')
    expect(help).toContain(`\n  $ iris ${name}`)
    expect(help).toContain(noJson === undefined ? '  --json ' : `There is no --json: ${noJson}`)
    // The command for each operation that models call by name.
    for (const operation of operationNames.filter((each) => each.includes('_'))) expect(help).not.toContain(operation)
  },
)

/** What a command needs to be given to get as far as the daemon. */
const needed: Readonly<Record<string, readonly string[]>> = {
  tell: ['backend', 'x'],
  result: ['3f2a9c01'],
  cancel: ['3f2a9c01'],
  'sessions show': ['external', 'backend'],
  search: ['x'],
  trace: ['3f2a9c01'],
  why: ['3f2a9c01'],
  'cache inspect': ['3f2a9c01'],
  wake: ['backend'],
  sleep: ['backend'],
  reboot: ['frontend', 'backend'],
  attach: ['frontend', 'backend'],
  fork: ['frontend', 'backend', 'x'],
  delete: ['frontend', 'backend'],
  notify: ['backend', 'x'],
  allow: ['x'],
  deny: ['x'],
  'remove-team': ['nobody'],
  'config set': ['settings.maxProcesses', '3'],
  'config get': ['settings'],
  'config unset': ['settings.idleTimeout'],
  'service install': ['--dry-run'],
  'service uninstall': ['--dry-run'],
}
/** These do not end by themselves, or end what the others use. */
const others = ['start', 'restart', 'dashboard', 'demo', 'monitor', 'stop', 'uninstall']

/** What is left of a daemon that was killed, when its pid and its port have gone to others: who listens there says nothing. */
async function leaveStaleFile({ world: { home } }: Installation): Promise<Server> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const file: DaemonFile = { version: irisVersion, pid: process.pid, port, startedAt: 1, processStart: 'another' }
  writeFileSync(join(home, 'daemon.json'), JSON.stringify(file))
  for (const credential of ['token', 'owner']) writeFileSync(join(home, credential), 'x'.repeat(43), { mode: 0o600 })
  return listener
}

const withoutDaemon = [
  ['with the file of one whose pid and port others have by now', leaveStaleFile],
  ['without a daemon', undefined],
] as const

test.each(firstIn<(typeof withoutDaemon)[number]>(withoutDaemon))(
  '%s each command ends by itself, and says on stdout as JSON what is the case',
  async (how, prepare) => {
    // At night the first shows each command once as a process.
    const isReal = isNightly && how === withoutDaemon[0][0]
    using claude = fakeClaude()
    const team = { claudePath: claude.claudePath, env: claude.env }
    await using iris = await Installation.create({ teams: { frontend: team, backend: team } })
    const listener = await prepare?.(iris)
    const specs = commandTable.filter(({ name, noJson }) => noJson === undefined && !others.includes(name))
    const next = specs.values()
    const env = { EDITOR: 'true' }
    const worker = async (): Promise<void> => {
      for (const { name } of next) {
        const words = [...name.split(' '), ...(needed[name] ?? []), '--json']
        const { code, stdout, stderr } = await (isReal
          ? iris.run(words, { env })
          : runCommand(iris.world, words, { env }))
        const told = JSON.parse(stdout) as { error?: { code: string; remedy: string } }
        expect({ name, text: stdout + stderr }).not.toMatchObject({ text: expect.stringContaining(escape) })
        if (told.error === undefined) continue
        expect({ name, code, stderr }).toMatchObject({ stderr: expect.stringMatching(/^error: .*\n/m) })
        // The daemon was started by the first that needs it.
        expect({ name, code }).not.toMatchObject({ code: expect.toBeOneOf([0, 4]) })
      }
    }
    await Promise.all([worker(), worker(), worker()])
    listener?.close()
  },
  240_000,
)

test('a daemon that hangs keeps no command waiting for it', { tags: ['thorough'] }, async () => {
  await using iris = await Installation.create({ teams: ['backend'] })
  const { child } = await iris.startDaemon()
  child.kill('SIGSTOP')
  const [told, listed, nothing] = await Promise.all([
    runCommand(iris.world, ['tell', 'backend', 'x']),
    runCommand(iris.world, ['sessions']),
    runCommand(iris.world, []),
  ])
  child.kill('SIGCONT')
  for (const ended of [told, listed, nothing]) {
    expect(ended).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('does not answer') })
  }
})

test('unknown words suggest, and a wrong value says which ones there are', async () => {
  await using iris = await Installation.create()
  const [command, nested, value, number, time] = await Promise.all([
    runCommand(iris.world, ['sesions']),
    runCommand(iris.world, ['service', 'instal']),
    runCommand(iris.world, ['sessions', '--status', 'old']),
    runCommand(iris.world, ['sessions', '--limit', 'many', '--json']),
    runCommand(iris.world, ['sessions', '--since', 'lately']),
  ])
  expect(command).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean sessions?') })
  expect(nested).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean install?') })
  expect(value).toMatchObject({ code: 2, stderr: expect.stringContaining('live, archived, all') })
  expect(JSON.parse(number.stdout)).toMatchObject({ error: { code: 'invalid_input' } })
  expect(time).toMatchObject({ code: 2, stderr: expect.stringContaining('Use 2h, 3d or') })
})

test('docs/guide/command.md names every command, and every exit code', () => {
  const page = readFileSync(new URL('../../docs/guide/command.md', import.meta.url), 'utf8')
  const missing = commandTable.filter(({ name }) => {
    const [first, second] = name.split(' ')
    const row = page.split('\n').find((line) => line.includes(`\`iris ${first}`) && line.startsWith('|'))
    return row === undefined || (second !== undefined && !row.includes(second))
  })
  expect(missing.map(({ name }) => name)).toEqual([])
  const codes = new Set([0, 1, notAnswered, stillRunning, interrupted, terminated, ...errorCodes.map(exitCodeOf)])
  const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
  expect(documented.toSorted((a, b) => a - b)).toEqual([...codes].toSorted((a, b) => a - b))
})
