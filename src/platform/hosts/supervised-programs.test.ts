import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { allOf, command, filesOf, lives, runOptions as options, outputOf } from '../../../test/support/host-program.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { find, type TestHost, testHost } from '../../../test/support/test-host.ts'
import type { Command } from '../machine/child.ts'

test.each(['dash', 'bash', 'busybox'] as const)(
  '%s hands a program exactly its arguments and its environment',
  async (sh) => {
    using host = testHost({ sh, env: { OF_THE_LOGIN: 'not for the program' } })
    const value = `a'b "c" $(false) \`x\` \\n\n\t é \u0081\u0088 *`
    const print =
      'process.stdout.write(JSON.stringify([process.argv.slice(1), process.env, process.cwd(), process.umask()]))'
    const env = { PATH: '/usr/bin:/bin', SECRET: value, me: '1', task: '2', LC_ALL: 'C.UTF-8' }
    const child = await host
      .programs()
      .start({ executable: process.execPath, args: ['-e', print, value, '', '--'], cwd: host.home, env }, options)

    const said = await allOf(child)

    const { PWD: _, SHLVL: __, OLDPWD: ___, _: ____, ...seen } = JSON.parse(said)[1]
    expect(JSON.parse(said)[0]).toEqual([value, '', '--'])
    expect(seen).toEqual(env)
    expect(JSON.parse(said).slice(2)).toEqual([host.home, process.umask()])
    await expect(child.exited).resolves.toEqual({ code: 0, signal: null })
  },
)

test.each(['dash', 'bash', 'busybox'] as const)(
  '%s lets a program live whose supervisor begins while it is looked for',
  (sh) => {
    using scratch = scratchDirectory()
    const begin = 'birth $$; printf "%s %s\\n" $$ "$born" >resident; . "$file"; return 1'
    const look = `file=$1; set -- none; . "$file"; looks=0; alive() { ${begin}; }; see_exit 3>&1`
    const shell = sh === 'busybox' ? [find(sh), 'sh'] : [find(sh)]
    const text = join(import.meta.dirname, 'supervisor.sh')
    const said = execFileSync(shell[0]!, [...shell.slice(1), '-c', look, 'sh', text], { cwd: scratch.path })

    expect(String(said)).toBe('')
    expect(readdirSync(scratch.path)).toEqual(['resident'])
  },
)

test('nobody else on the host can read the environment of a program', async () => {
  using host = testHost()
  const child = await host
    .programs()
    .start({ ...command(host, 'cat'), env: { PATH: '/usr/bin:/bin', TOKEN: 'very-secret' } }, options)
  const lines = globSync('/proc/[0-9]*/cmdline').map((file) => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  })

  expect(lines.filter((line) => line.includes('very-secret'))).toEqual([])
  await eventually(() => !existsSync(join(filesOf(host), 'spec')), 'what it was told is gone')
  await child.stop('now')
})

test('what cannot be started is refused with its reason, and leaves nothing behind', async () => {
  using host = testHost()
  const programs = host.programs()
  const good = command(host, 'cat')
  const kindOf = (given: Partial<Command>, run = options) =>
    programs.start({ ...good, ...given }, run).then(
      () => 'started',
      (error: { kind?: string }) => error.kind,
    )

  expect(await kindOf({ cwd: join(host.home, 'missing') })).toBe('no_directory')
  expect(await kindOf({ executable: '/usr/bin/missing' })).toBe('no_executable')
  expect(await kindOf({ executable: host.home })).toBe('no_executable')
  expect(await kindOf({ cwd: 'relative' })).toBe('bad_input')
  expect(await kindOf({ args: ['a\0b'] })).toBe('bad_input')
  expect(await kindOf({ env: { 'a=b;touch /tmp/x': '' } })).toBe('bad_input')
  for (const run of ['../x', '-x', 'a b', '$(x)', '', '.'])
    expect(await kindOf({}, { ...options, run })).toBe('bad_input')
  await expect(programs.attach('run-2')).rejects.toMatchObject({ kind: 'unknown_run' })
  expect(await programs.runs()).toEqual([])
})

test('a home that cannot be written is replaced by a directory in /tmp, and with neither the reason is said', async () => {
  using host = testHost({ env: { HOME: '/proc/missing', TMPDIR: '/proc/missing' } })
  await expect(host.programs().runs()).rejects.toMatchObject({ kind: 'not_writable' })

  using other = testHost({ env: { HOME: '/proc/missing' } })
  using tmp = testHost({ env: { HOME: '/proc/missing', TMPDIR: other.home } })
  const child = await tmp.programs().start(command(tmp, 'cat'), options)
  expect(globSync(join(other.home, 'iris-*/runs/run-1'))).toHaveLength(1)
  await child.stop('now')
})

test('what a start or a burial left that was cut off goes after a week, and nothing else', async () => {
  using host = testHost()
  const child = await host.programs().start(command(host, 'cat'), options)
  const runs = join(filesOf(host), '..')
  const weeks = Date.now() / 1000 - 9 * 86_400
  for (const name of ['cut-off', 'buried', 'new', '.spec.1', '.spec.2']) mkdirSync(join(runs, name))
  writeFileSync(join(runs, 'buried/exit'), '')
  for (const name of ['cut-off', 'buried', '.spec.1', 'run-1']) utimesSync(join(runs, name), weeks, weeks)
  await host.programs().runs()
  expect(readdirSync(runs).toSorted()).toEqual(['.spec.2', 'new', 'run-1'])
  await child.stop('now')
})

test('a second start in one run directory starts nothing: it is attached to the first', async () => {
  using host = testHost()
  const effects = join(host.home, 'effects')
  const once: Command = { ...command(host, 'dash', '-c', 'echo once >>effects; exec cat') }

  const first = await host.programs().start(once, options)
  const second = await host.programs().start(once, options)

  expect(second.pid).toBe(first.pid)
  expect(readFileSync(effects, 'utf8')).toBe('once\n')
  await second.stop('now')
})

test.each([
  ['idle', 'exec cat', { code: 0, signal: null }],
  ['busy', 'trap "exit 7" TERM; echo ready; while :; do sleep 0.1; done', { code: 7, signal: null }],
  ['now', 'trap "" TERM; echo ready; while :; do sleep 0.1; done', { code: null, signal: 'SIGKILL' }],
] as const)('stop %s ends a program, and the host forgets it', async (manner, script, exit) => {
  using host = testHost()
  const programs = host.programs()
  const child = await programs.start(command(host, 'dash', '-c', script), options)
  const output = outputOf(child)
  if (manner !== 'idle') await eventually(() => output() === 'ready\n', 'the program is ready')

  expect(await child.stop(manner)).toEqual(exit)

  await eventually(() => !existsSync(filesOf(host)), 'the run directory is removed')
  expect(await programs.runs()).toEqual([])
})

test('stop ends what the program started in a session of its own, and nothing of another start', async () => {
  using host = testHost()
  const programs = host.programs()
  const leave = 'setsid sleep 1000 >/dev/null 2>&1 & echo $!'
  const child = await programs.start(command(host, 'dash', '-c', leave), options)
  const other = {
    ...command(host, 'dash', '-c', leave),
    env: { PATH: '/usr/bin:/bin', IRIS_PROCESS: `${options.tag}0` },
  }
  const spared = await programs.start(other, { ...options, run: 'run-10', tag: `${options.tag}0` })
  const left = Number(await allOf(child))
  const theirs = Number(await allOf(spared))

  await child.stop('idle')

  expect([lives(left), lives(theirs)]).toEqual([false, true])
  await spared.stop('idle')
  expect(lives(theirs)).toBe(false)
})

test('stderr and the exit code come with the end', async () => {
  using host = testHost()
  const child = await host.programs().start(command(host, 'dash', '-c', 'echo out; echo broken >&2; exit 3'), options)

  expect(await allOf(child)).toBe('out\n')
  await expect(child.exited).resolves.toEqual({ code: 3, signal: null })
  expect(child.stderr()).toBe('broken\n')
})

test.each([
  ['tail', [find('tail')]],
  ['perl', ['perl']],
  ['python3', ['python3']],
  ['node', ['node']],
  ['none', []],
] as const)('a host whose reader is %s gives the same bytes', async (reader, has) => {
  using host = testHost(reader === 'tail' ? {} : { only: has })
  const programs = host.programs()
  const child = await programs.start(command(host, 'cat'), options)
  const output = outputOf(child)
  const text = `${'é\u0081x'.repeat(50_000)}\n`
  await child.write(text)
  await child.write('last\n')
  await child.stop('idle')

  expect(output() === `${text}last\n`).toBe(true)
  expect(readFileSync(globSync(join(host.home, '.cache/iris/supervisor-*.host'))[0]!, 'utf8')).toContain(
    `reader=${reader} `,
  )
})

test.each([
  ['tail', [find('tail')]],
  ['perl', ['perl']],
  ['python3', ['python3']],
  ['node', ['node']],
] as const)('%s stops reading when the connection that it reads for is killed', async (reader, has) => {
  using host = testHost(reader === 'tail' ? {} : { only: has })
  const child = await host.programs().start(command(host, 'cat'), options)
  const readers = pidsIn(host, 'tails')
  expect(readers.map(lives)).toEqual([true, true])

  process.kill(pidsIn(host, 'attached')[0]!, 'SIGKILL')
  await eventually(() => !readers.some(lives), 'both readers have ended')
  await child.stop('now')
})

/** The process ids in a file of the run, in which each one is followed by its start time. */
function pidsIn(host: TestHost, name: string): number[] {
  const words = readFileSync(join(filesOf(host), name), 'utf8')
    .trim()
    .split(' ')
  return words.flatMap((word, place) => (place % 2 === 0 ? [Number(word)] : []))
}

test('the tail of busybox, which does not notice it, is ended for a connection that was killed', {
  tags: ['thorough'],
}, async () => {
  using host = testHost({ only: [] })
  const child = await host.programs().start(command(host, 'cat'), { ...options, graceMs: 60_000 })
  const readers = pidsIn(host, 'tails')
  expect(readers.map(lives)).toEqual([true, true])

  process.kill(pidsIn(host, 'attached')[0]!, 'SIGKILL')
  await child.detach()
  await eventually(() => !readers.some(lives), 'both readers have ended')
  expect(lives(child.pid)).toBe(true)
})

test('a host without setsid gives a program a session of its own another way, or a group', async () => {
  for (const [only, way] of [
    [['perl'], 'perl'],
    [['python3'], 'python3'],
    [[], 'jobs'],
  ] as const) {
    using host = testHost({ only, without: ['setsid'] })
    const child = await host.programs().start(command(host, 'cat'), options)
    const facts = readFileSync(globSync(join(host.home, '.cache/iris/supervisor-*.host'))[0]!, 'utf8')
    expect(facts).toContain(`session_by=${way} `)
    expect(await child.stop('idle')).toEqual({ code: 0, signal: null })
  }
})
