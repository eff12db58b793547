import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { startDaemon } from '../../src/app/daemon/daemon.ts'
import { callTool } from '../support/call-tool.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { createWorld } from '../support/world.ts'

test('a daemon answers what an earlier version had accepted, and knows what that one had answered', async () => {
  const fake = fakeClaude()
  const settings = { claudePath: fake.claudePath, env: { ...fake.env } }
  await using world = await createWorld({ settings })
  mkdirSync(join(world.home, 'data'), { recursive: true })
  const store = new DatabaseSync(join(world.home, 'data/team-sessions.db'))
  store.exec(readFileSync(join(import.meta.dirname, 'schema-2.sql'), 'utf8'))
  store.close()

  const daemon = await startDaemon({ home: world.home, env: world.env, daemonPid: 0 })
  const iris = { port: daemon.port, token: world.token() }
  const status = (digit: number) =>
    callTool(iris, 'message_status', { turnId: `aaaaaaaa-0000-4000-8000-00000000000${digit}`, timeout: 0 })
  expect(await status(1)).toMatchObject({ status: 'completed', response: expect.stringContaining('"orders.ts"') })
  expect(await status(5)).toMatchObject({ status: 'completed' })
  await daemon.stop(0)
})
