import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { ensureDaemon } from './daemon-control.ts'
import { exitCodeOf } from './exit-code.ts'

test('a daemon that runs without its file is named as the cause, with what ends it', async () => {
  using scratch = scratchDirectory()
  const home = scratch.path
  const spawn = () => ({ end: () => exitCodeOf('already_running'), said: () => '', stop: () => {} })
  await expect(ensureDaemon({ home, env: { HOME: home }, waitMs: 0, spawn })).rejects.toMatchObject({
    code: 'daemon_unreachable',
    message: expect.stringContaining(`${join(home, 'daemon.json')}, where it says so, is missing or damaged`),
    remedy: expect.stringContaining(`"fuser ${join(home, 'data/lock.db')}" shows its pid`),
  })
})
