import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { localProcesses } from './local-processes.ts'
import { LocalSystem } from './local-system.ts'
import { tagVariable } from './process-tag.ts'

const env = { PATH: process.env['PATH'] ?? '' }

function start(script: string) {
  return new LocalSystem(systemClock).start({ executable: 'sh', args: ['-c', script], cwd: '/', env })
}

test('while what it said is being worked on, no more is read of it; nothing is lost', async () => {
  const child = await start('head -c 1000000 /dev/zero')
  let [bytes, chunks, working, overtaken] = [0, 0, false, 0]
  child.read((chunk) => {
    if (working) overtaken += 1
    working = true
    bytes += chunk.length
    chunks += 1
    return new Promise((resolve) => {
      systemClock.after(5, () => {
        working = false
        resolve()
      })
    })
  })
  expect(await child.exited).toEqual({ code: 0, signal: null })
  // The rest of the pipe arrives at once when a program ends.
  expect(overtaken).toBeLessThanOrEqual(1)
  expect(bytes).toBe(1_000_000)
  expect(chunks).toBeGreaterThan(5)
})

test('what a program says last is read though it has ended, and its stderr is kept', async () => {
  const child = await start('echo well; echo ill >&2; exit 3')
  const said: string[] = []
  child.read((chunk) => void said.push(chunk.toString()))
  expect(await child.exited).toEqual({ code: 3, signal: null })
  expect(said.join('')).toBe('well\n')
  expect(child.stderr()).toBe('ill\n')
})

test('writing to one that has gone is refused and harms nobody', async () => {
  const child = await start('exit 0')
  const faults: string[] = []
  child.errors$.subscribe((error) => faults.push(error.message))
  child.read(() => undefined)
  await child.exited
  await expect(child.write('hello\n')).rejects.toThrow(/EPIPE|closed/)
  expect(await child.stop('now')).toEqual({ code: 0, signal: null })
})

test.each([
  ['/nowhere/claude', '/'],
  ['sh', '/nowhere'],
])('what cannot be started at all is refused: %s in %s', async (executable, cwd) => {
  const started = new LocalSystem(systemClock).start({ executable, args: [], cwd, env })
  await expect(started).rejects.toMatchObject({ code: 'ENOENT' })
})

test('what has left its session, its parents and its environment ends with the program that started it', async () => {
  using scratch = scratchDirectory()
  const leaving = '(env -i /usr/bin/env setsid sh -c "echo \\$\\$ > left; exec sleep 300" &) ; exec sleep 300'
  const started = await new LocalSystem(systemClock).start({
    executable: 'sh',
    args: ['-c', leaving],
    cwd: scratch.path,
    env: { ...env, [tagVariable]: `test.${crypto.randomUUID()}` },
  })
  const file = join(scratch.path, 'left')
  const pid = await eventually(
    () => (existsSync(file) && Number(readFileSync(file, 'utf8'))) || undefined,
    'it has left',
  )
  await started.stop('now')
  expect(await localProcesses(systemClock).lives(pid, undefined)).toBe(false)
})

test('of programs that are to start at once, each turn of the event loop starts one', async () => {
  const system = new LocalSystem(systemClock)
  const begin = () => system.start({ executable: 'true', args: [], cwd: '/', env })
  await (await begin()).exited
  let turn = 0
  const count = (): void => {
    turn += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const turns = await Promise.all(Array.from({ length: 4 }, () => begin().then(() => turn)))
  clearImmediate(next)
  expect(new Set(turns).size).toBe(4)
})
