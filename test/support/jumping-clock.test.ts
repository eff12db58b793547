import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import { JumpingClock } from './jumping-clock.ts'
import { atRest } from './rest.ts'
import { scratchDirectory } from './scratch.ts'
import { waitingTimers } from './waiting-timers.ts'

function start(program: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', program])
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.kill('SIGKILL')) await ended
  })
  return child
}

const computes = (ms: number, path: string): string =>
  `const until = Date.now() + ${ms}; while (Date.now() < until); require('node:fs').writeFileSync('${path}', 'done')`

test('time stands still while real time passes, and moves through all timers that fall due, in their order', async () => {
  const clock = new JumpingClock()
  const order: string[] = []
  clock.after(30, () => order.push('30'))
  clock.after(10, () => clock.after(10, () => order.push('10 + 10')))
  const began = clock.now()
  await new Promise<void>((resolve) => systemClock.after(50, resolve))
  expect([order, clock.elapsed(), clock.now() - began]).toEqual([[], 0, 0])
  await clock.jump(29)
  expect(order).toEqual(['10 + 10'])
  await clock.jump(1)
  expect([order, clock.elapsed(), clock.now() - began]).toEqual([['10 + 10', '30'], 30, 30])
})

test('a timer for a moment that has come goes off without a jump, unless it is cancelled', async () => {
  const clock = new JumpingClock()
  clock.after(0, () => expect.fail('it was cancelled'))()
  await new Promise<void>((resolve) => clock.after(0, resolve))
})

test('it moves only when a process that computes has come to rest, before each timer again', async () => {
  using scratch = scratchDirectory()
  const [first, second] = ['first', 'second'].map((name) => join(scratch.path, name)) as [string, string]
  const clock = new JumpingClock()
  start(computes(300, first))
  const seen: boolean[] = []
  clock.after(10, () => {
    seen.push(existsSync(first))
    start(computes(300, second))
  })
  clock.after(20, () => seen.push(existsSync(second)))
  await clock.jump(20)
  expect(seen).toEqual([true, true])
})

test('with `while: busy` it does not wait for a process', async () => {
  const clock = new JumpingClock()
  start('for (;;);')
  await clock.jump(10, { while: 'busy' })
  expect(clock.elapsed()).toBe(10)
})

test('it waits for what this process reads and what follows from it', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'read')
  start(computes(1, path))
  await atRest()
  let text = ''
  void readFile(path, 'utf8').then(async (first) => {
    text = first + (await readFile(path, 'utf8'))
  })
  await new JumpingClock().jump(1)
  expect(text).toBe(readFileSync(path, 'utf8').repeat(2))
})

test('a process that only waits is at rest; one that never rests is named', async () => {
  start('setTimeout(() => {}, 600_000)')
  await atRest()
  const busy = start('for (;;);')
  await expect(atRest(500)).rejects.toThrow(`of ${busy.pid},`)
})

test('a timer that waits is named with the line that set it', () => {
  const clock = new JumpingClock()
  clock.after(1234, () => {})
  expect(waitingTimers()).toContainEqual(expect.stringMatching(/^1234 ms, in 1234 ms, set .*jumping-clock\.test\.ts/))
})
