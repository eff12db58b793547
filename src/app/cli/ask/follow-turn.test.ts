import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { TestContext } from '../../../../test/support/command-context.ts'
import { runningDaemon } from '../running-daemon.ts'
import { endOf } from './follow-turn.ts'

/** A command that uses a daemon whose calls `answer` handles; `leave` stops that daemon as `iris stop` does. */
async function used(answer: (response: ServerResponse, leave: () => void) => void) {
  const home = mkdtempSync(join(tmpdir(), 'iris-follow-'))
  const file = join(home, 'daemon.json')
  const server = createServer((request, response) => {
    if (request.url === '/health') return void response.end('{}')
    void text(request).then(() => answer(response, leave))
  })
  const leave = (): void => {
    rmSync(file, { force: true })
    server.closeAllConnections()
    server.close()
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    leave()
    rmSync(home, { recursive: true })
  })
  const { port } = server.address() as { port: number }
  writeFileSync(file, JSON.stringify({ port, pid: process.pid, startedAt: 1, version: '1' }))
  writeFileSync(join(home, 'token'), 'secret')
  const context = new TestContext({ env: { IRIS_HOME: home } })
  await runningDaemon(context)
  return context
}

const turnId = '3f2a9c01-0000-4000-8000-000000000000'
const wait = { timeoutMs: 0, signal: new AbortController().signal, patienceMs: 0 }

test('a wait that ends because Iris was stopped says that the message was accepted, and how to collect its answer', async () => {
  const context = await used((_, leave) => leave())
  expect(await endOf(context, { turnId }, wait).catch((error: unknown) => error)).toMatchObject({
    code: 'daemon_unreachable',
    message: expect.stringContaining(`The message was accepted: it is turn ${turnId}.`),
    remedy: expect.stringContaining(`iris result ${turnId}`),
  })
})

test('a refusal of the id itself does not say that the message was accepted', async () => {
  const context = await used((response) => {
    const error = { code: 'unknown_turn', message: 'There is no such turn.', remedy: 'Look at "iris sessions".' }
    const result = { isError: true, content: [{ type: 'text', text: JSON.stringify({ error }) }] }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  expect(await endOf(context, { turnId }, wait).catch((error: unknown) => error)).toMatchObject({
    code: 'unknown_turn',
    message: 'There is no such turn.',
  })
})
