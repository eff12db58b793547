import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { managerOf } from '../../src/app/cli/service/manager.ts'
import { launchAgent, namesHome, systemdUnit } from '../../src/app/cli/service/unit.ts'
import { isAlive } from '../../src/base/lib/process-alive.ts'
import { eventually } from '../support/eventually.ts'
import { Installation, mainFile } from '../support/program.ts'

const double = fileURLToPath(new URL('../support/systemctl-double', import.meta.url))

/** An installation whose systemctl is a double: one that really starts and ends the daemon. */
async function withDouble() {
  const iris = await Installation.create({ teams: ['backend'] })
  const bin = join(iris.world.root, 'bin')
  mkdirSync(bin)
  symlinkSync(double, join(bin, 'systemctl'))
  const env = {
    PATH: `${bin}${delimiter}${iris.env['PATH']}`,
    DOUBLE: bin,
    DAEMON: `${process.execPath} ${mainFile} start`,
  }
  /** Its calls since the last check. */
  const asked = (): string[] => {
    const file = join(bin, 'asked')
    const words = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
    rmSync(file, { force: true })
    return words
  }
  const pid = (): number => Number(readFileSync(join(bin, 'pid'), 'utf8'))
  const run = (...args: string[]) => iris.run(args, { env })
  const writeUnit = (home: string): void => {
    const { file } = managerOf(iris.env, 'systemd')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, systemdUnit({ command: ['/iris'], env: { IRIS_HOME: home }, log: '/log' }))
  }
  return { iris, bin, run, asked, pid, writeUnit, [Symbol.asyncDispose]: () => iris[Symbol.asyncDispose]() }
}

test('a daemon that systemd runs is restarted, stopped and started by systemd', async () => {
  await using stage = await withDouble()
  const { iris, bin, run, asked, pid } = stage
  expect(await run('service', 'install')).toMatchObject({ code: 0, stdout: expect.stringContaining('Iris is running') })
  expect(asked()).toEqual(['--user daemon-reload', '--user enable --now iris.service'])
  const first = await eventually(() => iris.daemon()?.pid, 'the service serves')
  expect(first).toBe(pid())

  const restarted = await run('restart')
  expect(restarted).toMatchObject({ code: 0, stdout: expect.stringContaining(`runs (pid ${pid()}, `) })
  expect(pid()).not.toBe(first)
  expect(asked()[0]).toBe('--user restart iris.service')

  const second = pid()
  expect(await run('stop')).toMatchObject({ code: 0, stdout: `Iris has stopped (pid ${second}).\n` })
  expect(asked()).toEqual(['--user stop iris.service'])
  const begun = await run('start', '--background')
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringContaining(`pid ${pid()}`), stderr: '' })
  expect(asked()).toEqual(['--user start iris.service'])

  writeFileSync(join(bin, 'fails'), '')
  const served = pid()
  expect(await run('restart')).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringMatching(/"systemctl --user restart iris\.service" failed\.\nSee "systemctl --user status/),
  })
  expect(iris.daemon()?.pid).toBe(served)
})

test('a daemon that was started by hand is ended by itself, and the service takes its place', async () => {
  await using stage = await withDouble()
  const { iris, bin, run, asked, pid } = stage
  const byHand = await iris.startDaemon()
  expect(await run('service', 'install')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      `started by hand (pid ${byHand.child.pid}): run "iris restart" to let the service take over`,
    ),
  })
  // It found the place taken.
  const refusedPid = pid()
  await eventually(() => !isAlive(refusedPid), 'the service gives up')
  rmSync(join(bin, 'pid'))
  asked()
  expect(await run('restart')).toMatchObject({ code: 0, stdout: expect.stringContaining(`(pid ${pid()}, `) })
  expect(await byHand.ended).toMatchObject({ code: 0 })
  expect(asked()).toEqual(['--user start iris.service'])
})

test('the service of another home is left alone', async () => {
  await using stage = await withDouble()
  const { iris, run, asked, writeUnit } = stage
  writeUnit(`${iris.world.home}2`)
  for (const words of [['start', '--background'], ['restart'], ['stop']]) {
    expect(await run(...words)).toMatchObject({ code: 0 })
  }
  expect(asked()).toEqual([])
})

const odd = {
  command: [process.execPath, '/a b/100% "x" $y.js', 'start'],
  env: { IRIS_HOME: '/home/a "b" 5%/<&>', PATH: '/bin\n:/x' },
  log: '/home/<&>/logs/daemon.log',
}

test('systemd reads the unit as it is meant, whatever stands in its paths', async () => {
  const text = systemdUnit(odd)
  expect(text).toContain('"/a b/100%% \\"x\\" $$y.js" start\n')
  expect(text).toContain('Environment="PATH=/bin\\n:/x"\n')
  expect(spawnSync('systemd-analyze', ['--version']).error === undefined ? await verified(text) : '').toBe('')
})

/** What systemd has to say of a unit. */
async function verified(text: string): Promise<string> {
  await using iris = await Installation.create()
  const file = join(iris.world.root, 'iris.service')
  writeFileSync(file, text)
  const env = { ...iris.env, XDG_RUNTIME_DIR: iris.world.root }
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', file], { env, encoding: 'utf8' })
  return status === 0 ? stderr : `${status}: ${stderr}`
}

test('launchd reads the agent as it is meant, whatever stands in its paths', () => {
  expect(plist(launchAgent('iris.daemon', odd))).toEqual({
    Label: 'iris.daemon',
    ProgramArguments: odd.command,
    EnvironmentVariables: odd.env,
    RunAtLoad: true,
    KeepAlive: { Crashed: true },
    StandardOutPath: odd.log,
    StandardErrorPath: odd.log,
    ExitTimeOut: 60,
  })
})

test('launchd is asked in the words of its own manual, for the session of this user', () => {
  const { file, enable, disable, renew, start, state } = managerOf({ HOME: '/Users/a' }, 'launchd')
  const target = `gui/${process.getuid!()}`
  expect(file).toBe('/Users/a/Library/LaunchAgents/iris.daemon.plist')
  expect({ enable, disable, renew, start, state }).toEqual({
    enable: [['launchctl', 'bootstrap', target, file]],
    disable: [['launchctl', 'bootout', `${target}/iris.daemon`]],
    renew: ['launchctl', 'bootout', `${target}/iris.daemon`],
    start: ['launchctl', 'kickstart', `${target}/iris.daemon`],
    state: ['launchctl', 'print', `${target}/iris.daemon`],
  })
})

test('a service says of which home it is', () => {
  for (const text of [systemdUnit(odd), launchAgent('iris.daemon', odd)]) {
    expect(namesHome(text, odd.env.IRIS_HOME)).toBe(true)
    for (const other of ['/home/a', `${odd.env.IRIS_HOME}2`, '']) expect(namesHome(text, other)).toBe(false)
  }
})

/** A property list, read strictly: XML whose every element is closed, and nothing else between them than blanks. */
function plist(xml: string): unknown {
  const [, body = ''] = /^<\?xml [^>]*\?>\n<!DOCTYPE plist [^>]*>\n<plist version="1\.0">(.*)<\/plist>\n$/s.exec(xml)!
  const tokens = body.match(/<[^<>]*>|[^<>]+/g)!.filter((token) => token.trim() !== '')
  const take = (expected: string): void => expect(tokens.shift()).toBe(expected)
  const text = (name: string): string => {
    const found = tokens[0] === `</${name}>` ? '' : tokens.shift()!
    take(`</${name}>`)
    expect(found).not.toMatch(/&(?!(amp|lt|gt);)/)
    return found.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  }
  const value = (): unknown => {
    const opening = tokens.shift()
    if (opening === '<true/>') return true
    if (opening === '<string>') return text('string')
    if (opening === '<integer>') return Number(text('integer'))
    if (opening === '<array>') return [...items('</array>', value)]
    expect(opening).toBe('<dict>')
    return Object.fromEntries(items('</dict>', (): [string, unknown] => [key(), value()]))
  }
  const key = (): string => {
    take('<key>')
    return text('key')
  }
  function* items<Item>(end: string, read: () => Item): Generator<Item> {
    while (tokens[0] !== end) yield read()
    take(end)
  }
  const read = value()
  expect(tokens).toEqual([])
  return read
}
