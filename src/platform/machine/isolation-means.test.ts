import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { able } from '../../../test/support/able.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { systemClock } from '../../base/lib/clock.ts'
import type { Command, Isolation } from './child.ts'
import { identityAt } from './identity.ts'
import { isolationMeans } from './isolation-means.ts'
import { sweep } from './local-processes.ts'
import { LocalSystem } from './local-system.ts'
import { taggedProcesses, tagVariable } from './process-tag.ts'

const path = process.env['PATH'] ?? ''
const { hiding, sandbox } = await isolationMeans(path)
const nothing = { readable: [], copies: [], empty: [], sealed: [], hidden: [], mounted: [] }

const ways: [string, (directory: string) => Isolation][] = [
  [
    'from which something is hidden',
    (at) => able(hiding).isolate({ hidden: [join(at, 'hidden')], narrowed: undefined, settled: [], fixed: [] }),
  ],
  ['in a sandbox', (at) => able(sandbox).isolate({ ...nothing, home: '/home/nobody', directory: at, writable: [at] })],
]

/** Records a SIGTERM in a file, and leaves a process in its own session. */
const script = `trap 'echo asked > asked; exit 7' TERM
setsid sleep 300 & touch begun; while :; do sleep 0.05; done`

describe.each(ways)('a program %s', (_way, isolate) => {
  test('is asked to end, says how it ended, and nothing of it is left', async () => {
    using scratch = scratchDirectory()
    const at = scratch.path
    const child = await new LocalSystem(systemClock).start(command(at, isolate))
    await eventually(() => existsSync(join(at, 'begun')), 'it has begun')
    expect(await child.stop('busy')).toEqual({ code: 7, signal: null })
    expect(readFileSync(join(at, 'asked'), 'utf8')).toBe('asked\n')
    expect(await taggedProcesses(at)).toEqual([])
  })

  test('ends when whoever started it is killed', async () => {
    using scratch = scratchDirectory()
    const at = scratch.path
    const starter = ['--input-type=module', '--eval', starts, JSON.stringify(command(at, isolate))]
    const daemon = spawn(process.execPath, starter, { stdio: 'inherit' })
    await eventually(() => existsSync(join(at, 'begun')), 'it has begun')
    daemon.kill('SIGKILL')
    let left = [daemon.pid!]
    const hasEnded = (): boolean => {
      void taggedProcesses(at).then((pids) => (left = pids))
      return existsSync(join(at, 'asked')) || left.length === 0
    }
    expect(await eventually(hasEnded, 'it is asked to end, or killed with its sandbox')).toBe(true)
    await sweep(at, 0, systemClock)
  })
})

function command(at: string, isolate: (directory: string) => Isolation): Command {
  mkdirSync(join(at, 'hidden'))
  const env = { PATH: path, [tagVariable]: at }
  return { executable: '/bin/sh', args: ['-c', script], cwd: at, env, isolation: isolate(at) }
}

/** A minimal daemon, as its own program. */
const starts = `
import { systemClock } from '${new URL('../../base/lib/clock.ts', import.meta.url).href}'
import { LocalSystem } from '${new URL('local-system.ts', import.meta.url).href}'
await new LocalSystem(systemClock).start(JSON.parse(process.argv[1]))`

test('a directory that is swapped after it was looked at is not shown in a sandbox', async () => {
  using scratch = scratchDirectory()
  const [project, secret] = [join(scratch.path, 'project'), join(scratch.path, 'secret')]
  for (const path of [project, secret]) mkdirSync(path)
  const mounted = [{ path: project, identity: await identityAt(project) }]
  const isolation = able(sandbox).isolate({
    ...nothing,
    home: '/home/nobody',
    directory: project,
    writable: [project],
    mounted,
  })
  const start = async () => {
    const env = { PATH: path, [tagVariable]: scratch.path }
    const child = await new LocalSystem(systemClock).start({
      executable: '/bin/sh',
      args: ['-c', 'touch begun'],
      cwd: '/',
      env,
      isolation,
    })
    return { exit: await child.exited, stderr: child.stderr() }
  }
  expect(await start()).toMatchObject({ exit: { code: 0 } })
  renameSync(project, join(scratch.path, 'moved'))
  symlinkSync(secret, project)
  expect(await start()).toEqual({
    exit: { code: 1, signal: null },
    stderr: 'another file was mounted in the place of one that the sandbox shows\n',
  })
  expect(readdirSync(secret)).toEqual([])
})

/** Starts the program of the other arguments, which says whether it sees a later mount at `$1/place/later`. */
const mountsLater = `at=$1; shift
mount --bind "$at" "$at" && mount --make-shared "$at" && at=$at/place && mkdir "$at/later"
"$@" sh -c 'touch begun; until [ -e mounted ]; do sleep 0.02; done; [ -e "$0/later/mounted" ] && echo seen || echo unseen' "$at" &
until [ -e begun ]; do sleep 0.02; done
mount -t tmpfs later "$at/later" && touch "$at/later/mounted" mounted
wait`

test.each([
  ['is seen', 'seen', []],
  ['is not seen where nothing new is to appear, as in /run/user', 'unseen', ['place']],
])('what is mounted while a program runs %s', (_what, said, settled) => {
  using scratch = scratchDirectory()
  const at = (name: string): string => join(scratch.path, name)
  for (const name of ['hidden', 'place']) mkdirSync(at(name))
  const view = { hidden: [at('hidden')], narrowed: undefined, settled: settled.map(at), fixed: [] }
  const { by } = able(hiding).isolate(view)
  const args = ['-Urm', 'sh', '-c', mountsLater, 'sh', scratch.path, ...by]
  const told = execFileSync('unshare', args, { cwd: scratch.path, env: { PATH: path }, encoding: 'utf8' })
  expect(told.trim()).toBe(said)
})

test('directories are hidden whatever their names, and some of one may stay', () => {
  using scratch = scratchDirectory()
  const at = (name: string): string => join(scratch.path, name)
  const odd = 'a b\t#\\040"$(x)\n-'
  for (const name of [odd, `${odd}2/${odd}`, `${odd}2/other`]) mkdirSync(at(name), { recursive: true })
  for (const name of [odd, `${odd}2/${odd}`]) writeFileSync(join(at(name), 'file'), '')
  const view = { hidden: [at(odd)], narrowed: { directory: at(`${odd}2`), kept: [odd] }, settled: [], fixed: [] }
  const {
    by: [program, ...args],
  } = able(hiding).isolate(view)
  const told = execFileSync(program!, [...args, 'find', '.', '-type', 'f'], { cwd: scratch.path, encoding: 'utf8' })
  expect(told).toBe(`./${odd}2/${odd}/file\n`)
})

test('what is hidden is not shown by a link in place of what stays', () => {
  using scratch = scratchDirectory()
  const at = (name: string): string => join(scratch.path, name)
  for (const name of ['hidden', 'some']) mkdirSync(at(name))
  writeFileSync(at('hidden/secret'), '')
  symlinkSync(at('hidden'), at('some/kept'))
  const view = { hidden: [at('hidden')], narrowed: { directory: at('some'), kept: ['kept'] }, settled: [], fixed: [] }
  const { by } = able(hiding).isolate(view)
  expect(execFileSync(by[0]!, [...by.slice(1), 'ls', '-A', at('some/kept')], { encoding: 'utf8' })).toBe('')
})

test('a temporary directory that is gone, or in which nothing can be made, does not leave agents without isolation', async () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'file')
  writeFileSync(file, '')
  for (const temporary of [join(scratch.path, 'gone'), file])
    expect(Object.keys((await isolationMeans(path, { temporary })).hiding)).toEqual(Object.keys(hiding))
  expect(Object.keys(hiding)).toEqual(['isolate'])
})

test('a machine that has not what it takes says what is missing', async () => {
  expect(await isolationMeans('/nowhere', { usualPath: '/nowhere' })).toEqual({
    hiding: { lacks: expect.stringMatching(/^it needs the system's unshare, mount, sh/) },
    sandbox: { lacks: 'bubblewrap is not installed' },
  })
})

test('a trial that does not end in time decides nothing: the next start of a process tries again', async () => {
  using scratch = scratchDirectory()
  for (const name of ['unshare', 'mount', 'sh', 'bwrap', 'stat'])
    writeFileSync(join(scratch.path, name), '#!/bin/sh\nexec sleep 300\n', { mode: 0o755 })
  const late = await isolationMeans('', { usualPath: scratch.path, patienceMs: 1 })
  const undecided = { lacks: expect.stringContaining('did not end within'), isUndecided: true }
  expect(late).toEqual({ hiding: undecided, sandbox: undecided })
  const trials = [late, { hiding, sandbox }]
  const system = new LocalSystem(systemClock, { means: async () => trials.shift()! })
  for (const found of [late, { hiding, sandbox }, { hiding, sandbox }])
    expect(await system.isolationMeans()).toEqual(found)
})
