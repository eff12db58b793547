import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { TestContext } from '../../../test/support/command-context.ts'
import type { SpawnDaemon } from './context.ts'
import { runningDaemon } from './running-daemon.ts'

/** A home whose daemon is this process, and a command that uses it. `starts`: how often the command started another one. */
async function used() {
  const home = mkdtempSync(join(tmpdir(), 'iris-running-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const server = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const names = (pid: number, more: object = {}): void =>
    writeFileSync(join(home, 'daemon.json'), JSON.stringify({ port, pid, startedAt: 1, version: '1', ...more }))
  let starts = 0
  const spawnDaemon: SpawnDaemon = () => {
    starts += 1
    names(process.pid)
    return { end: () => undefined, said: () => '', stop: () => {} }
  }
  const context = new TestContext({ env: { IRIS_HOME: home }, spawnDaemon })
  names(process.pid)
  writeFileSync(join(home, 'token'), 'secret')
  expect(await runningDaemon(context)).toMatchObject({ pid: process.pid })
  return { home, context, names, starts: () => starts, file: join(home, 'daemon.json') }
}

const endedPid = (): number => spawnSync('true').pid

test.each(['has stopped', 'was killed while it stopped'])(
  'a daemon that %s while a command uses it is not started again',
  async (how) => {
    const { home, context, names, starts, file } = await used()
    if (how === 'has stopped') rmSync(file)
    else names(endedPid(), { isStopping: true })
    const gone = await runningDaemon(context).catch((error: unknown) => error)
    expect(gone).toMatchObject({ code: 'daemon_unreachable', message: `Iris is no longer running (${home}).` })
    expect(starts()).toBe(0)
  },
)

test('a daemon that dies while a command uses it is started again, and the command says so', async () => {
  const { context, names, starts } = await used()
  names(endedPid())
  expect(await runningDaemon(context)).toMatchObject({ pid: process.pid })
  expect(starts()).toBe(1)
  expect(context.printed.stderr).toContain('Iris had ended unexpectedly; it was started again (pid')
})
