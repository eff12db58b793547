import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { TestContext } from '../../../test/support/command-context.ts'
import { runningDaemon } from './running-daemon.ts'

test('a daemon that ends while a command uses it is not started again', async () => {
  const home = mkdtempSync(join(tmpdir(), 'iris-running-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const server = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  writeFileSync(join(home, 'daemon.json'), JSON.stringify({ port, pid: process.pid, startedAt: 1, version: '1' }))
  writeFileSync(join(home, 'token'), 'secret')
  const context = new TestContext({ env: { IRIS_HOME: home } })
  expect(await runningDaemon(context)).toMatchObject({ pid: process.pid })
  server.closeAllConnections()
  server.close()
  rmSync(join(home, 'daemon.json'))
  const gone = await runningDaemon(context).catch((error: unknown) => error)
  expect(gone).toMatchObject({ code: 'daemon_unreachable', message: `Iris is not running any more (${home}).` })
  expect(existsSync(join(home, 'logs'))).toBe(false)
})
