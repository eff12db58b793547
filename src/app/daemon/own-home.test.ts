import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { homePaths } from '../../platform/config/home.ts'
import { lockInstance } from '../../platform/store/instance-lock.ts'
import { removeDaemonFile } from './daemon-file.ts'
import { keepLock } from './own-home.ts'

/** A home with a daemon that keeps its lock; `said` has what it did. */
function kept() {
  const scratch = scratchDirectory()
  const paths = homePaths(scratch.path)
  const clock = new FakeClock()
  const said: string[] = []
  mkdirSync(dirname(paths.lock))
  writeFileSync(paths.homeRecord, '{}')
  const unlock = lockInstance(paths.lock, () => '')
  const end = keepLock(scratch.path, {
    clock,
    again: () => said.push('again'),
    onLost: (why) => said.push(why),
  })
  onTestFinished(() => {
    end()
    unlock()
    scratch[Symbol.dispose]()
  })
  /** Resolves when the watch has done something more. */
  const noticed = (): Promise<unknown> => {
    const before = said.length
    return eventually(async () => {
      await clock.advance(1000)
      return said.length > before
    }, 'the watch notices it')
  }
  return { home: scratch.path, paths, clock, said, end, noticed }
}

test('a lock that is deleted while the daemon runs is taken again, so no second daemon starts', async () => {
  const { paths, clock, said, end, noticed } = kept()
  await clock.advance(5000)
  expect(said).toEqual([])
  for (const times of [1, 2]) {
    rmSync(dirname(paths.lock), { recursive: true })
    await noticed()
    expect(said).toEqual(Array(times).fill('again'))
    expect(() => lockInstance(paths.lock, () => '')).toThrow(expect.objectContaining({ code: 'already_running' }))
  }
  await clock.advance(50_000)
  expect(said).toHaveLength(2)
  end()
  lockInstance(paths.lock, () => '')()
})

test('a daemon stops when another one has the lock of its home', async () => {
  const { paths, clock, said, noticed } = kept()
  rmSync(paths.lock)
  const letGo = lockInstance(paths.lock, () => '')
  await noticed()
  letGo()
  expect(said).toEqual(['A daemon is already running for this IRIS_HOME.'])
  await clock.advance(50_000)
  expect(said).toHaveLength(1)
})

test('a daemon stops when its home was removed, and makes no new one', async () => {
  const { home, said, noticed } = kept()
  rmSync(home, { recursive: true })
  await noticed()
  expect(said).toEqual([`${home} was moved or removed`])
  expect(existsSync(home)).toBe(false)
})

test('a daemon stops when its home was moved', async () => {
  const { home, said, noticed } = kept()
  renameSync(home, `${home}-moved`)
  onTestFinished(() => rmSync(`${home}-moved`, { recursive: true }))
  await noticed()
  expect(said).toEqual([`${home} was moved or removed`])
})

test('a daemon that ends removes its own file, and not that of another one', () => {
  const { paths } = kept()
  for (const [pid, isKept] of [
    [process.pid, false],
    [process.pid + 1, true],
  ] as const) {
    writeFileSync(paths.daemonFile, JSON.stringify({ port: 1, pid, startedAt: 1, version: '1' }))
    removeDaemonFile(paths.daemonFile)
    expect(existsSync(paths.daemonFile)).toBe(isKept)
  }
})
