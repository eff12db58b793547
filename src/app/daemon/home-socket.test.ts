import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { createLog } from '../../base/lib/log.ts'
import { HomeSocket } from './home-socket.ts'

test('a directory in the place of the socket is named in the log, and the daemon continues without it', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'daemon.sock')
  mkdirSync(path)
  const said: string[] = []
  const log = createLog({ least: () => 'error', keep: ({ message }) => said.push(message) })
  const bounds = { most: 1, mostOfOne: 1 }
  const socket = new HomeSocket({ path, bounds, clock: new FakeClock(), log: log.for('socket') })
  socket.open(() => undefined)
  expect(said).toEqual([`there is no socket in the home: ${path} is in the way: move it`])
  await socket.close()
})
