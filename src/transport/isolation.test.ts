import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/support/eventually.ts'
import { scratchDirectory } from '../../test/support/scratch.ts'
import { systemClock } from '../lib/clock.ts'
import { markedProcesses, markerVariable } from './descendants.ts'
import { isolationMeans } from './isolation.ts'
import { LocalTransport } from './local.ts'
import { sweep } from './sweep.ts'
import type { Command, Isolation } from './transport.ts'

const path = process.env['PATH'] ?? ''
const { hiding, sandbox } = await isolationMeans(path)

type Isolate = (directory: string) => Isolation
const ways: [string, Isolate][] = []
if ('isolate' in hiding) ways.push(['from which something is hidden', (at) => hiding.isolate([join(at, 'hidden')])])
if ('isolate' in sandbox) {
  const view = { home: '/home/nobody', readable: [], empty: [] }
  ways.push(['in a sandbox', (at) => sandbox.isolate({ ...view, directory: at, writable: [at] })])
}

/** Writes down that it was asked to end, and leaves somebody behind who was not its own to end. */
const script = `trap 'echo asked > asked; exit 7' TERM
setsid sleep 300 & touch begun; while :; do sleep 0.05; done`

// Where a machine has neither there is nothing of this to show.
describe.each(ways)('a program %s', (_way, isolate) => {
  test('is asked to end, says how it ended, and nothing of it is left', async () => {
    using scratch = scratchDirectory()
    const at = scratch.path
    const child = await new LocalTransport(systemClock).start(command(at, isolate))
    await eventually(() => existsSync(join(at, 'begun')), 'it has begun')
    expect(await child.stop('busy')).toEqual({ code: 7, signal: null })
    expect(readFileSync(join(at, 'asked'), 'utf8')).toBe('asked\n')
    expect(await markedProcesses(at)).toEqual([])
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
      void markedProcesses(at).then((pids) => (left = pids))
      return existsSync(join(at, 'asked')) || left.length === 0
    }
    expect(await eventually(hasEnded, 'it is asked to end, or killed with its sandbox')).toBe(true)
    await sweep(at, 0, systemClock)
  })
})

function command(at: string, isolate: Isolate): Command {
  mkdirSync(join(at, 'hidden'))
  const env = { PATH: path, [markerVariable]: at }
  return { executable: '/bin/sh', args: ['-c', script], cwd: at, env, isolation: isolate(at) }
}

/** What a daemon does, as a program of its own. */
const starts = `
import { systemClock } from '${new URL('../lib/clock.ts', import.meta.url).href}'
import { LocalTransport } from '${new URL('local.ts', import.meta.url).href}'
await new LocalTransport(systemClock).start(JSON.parse(process.argv[1]))`

test.runIf('lacks' in hiding)('a machine that hides nothing says why', () => {
  expect(hiding).toEqual({ lacks: expect.stringMatching(/not allowed|it takes/) })
})

test.runIf('lacks' in sandbox)('a machine without sandboxes says why', () => {
  expect(sandbox).toEqual({ lacks: expect.stringMatching(/bubblewrap|it takes/) })
})
