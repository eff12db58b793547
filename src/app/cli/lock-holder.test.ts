import { rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { homePaths } from '../../platform/config/home.ts'
import { lockInstance } from '../../platform/store/instance-lock.ts'
import { ensureDaemon } from './daemon-control.ts'
import { exitCodeOf } from './exit-code.ts'
import { lockHolder } from './lock-holder.ts'

/** A home whose lock this process holds, and no file that says so. */
function heldHome() {
  const scratch = scratchDirectory()
  const paths = homePaths(scratch.path)
  const letGo = lockInstance(paths.lock, () => '')
  onTestFinished(() => scratch[Symbol.dispose]())
  return { home: scratch.path, paths, letGo }
}

const unreachable = {
  code: 'daemon_unreachable',
  message: expect.stringContaining(`Process ${process.pid} holds the lock of this home`),
  remedy: expect.stringContaining(`End it with "kill ${process.pid}"`),
}

test('a daemon that runs without its file is named, with what ends it, and never counts as stopped', async () => {
  const { home, paths, letGo } = heldHome()
  await expect(lockHolder(home, 0)).rejects.toMatchObject(unreachable)
  writeFileSync(paths.daemonFile, 'damaged')
  await expect(lockHolder(home, 0)).rejects.toMatchObject(unreachable)
  const spawn = () => ({ end: () => exitCodeOf('already_running'), said: () => '', stop: () => {} })
  await expect(ensureDaemon({ home, env: { HOME: home }, waitMs: 0, spawn })).rejects.toMatchObject(unreachable)
  letGo()
  expect(await lockHolder(home, 0)).toBeUndefined()
})

test('a daemon that is about to write its file is found, and one that is about to end is not missed', async () => {
  const { home, paths, letGo } = heldHome()
  const found = lockHolder(home)
  writeFileSync(paths.daemonFile, JSON.stringify({ port: 1, pid: process.pid, startedAt: 1, version: '1' }))
  expect(await found).toMatchObject({ pid: process.pid })
  rmSync(paths.daemonFile)
  const ended = lockHolder(home)
  letGo()
  expect(await ended).toBeUndefined()
})
