import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { TestContext } from '../../../../test/support/command-context.ts'
import { uuidOf } from '../../../base/lib/uuid-of.ts'
import { sendMessage } from './send-message.ts'

/** A home with a healthy daemon, whose calls `answer` handles. Returns a context, and the keys of the calls. */
async function home(answer: (count: number, response: ServerResponse) => void) {
  const path = mkdtempSync(join(tmpdir(), 'iris-send-'))
  const keys: string[] = []
  const server = createServer((request, response) => {
    if (request.url === '/health') return void response.end('{}')
    void text(request).then((body) => {
      keys.push(JSON.parse(body).params.arguments.idempotencyKey)
      answer(keys.length, response)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(path, { recursive: true })
  })
  const { port } = server.address() as { port: number }
  writeFileSync(
    join(path, 'daemon.json'),
    JSON.stringify({ port, pid: process.pid, startedAt: Date.now(), version: '1' }),
  )
  writeFileSync(join(path, 'token'), 'secret')
  return { context: new TestContext({ env: { IRIS_HOME: path } }), keys, end: () => server.closeAllConnections() }
}

const message = { toTeam: 'backend', message: 'hello' }

test('a message whose connection breaks is sent again under its key', async () => {
  const { context, keys } = await home((count, response) => {
    if (count === 1) return void response.destroy()
    const result = { structuredContent: { turnId: 'one' } }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  expect(await sendMessage(context, message)).toEqual({ turnId: 'one' })
  expect(keys).toHaveLength(2)
  expect(new Set(keys).size).toBe(1)
})

test('one that nobody answers for says that it may have been accepted, and under which id', async () => {
  const { context, keys } = await home((_, response) => response.destroy())
  const failed = await sendMessage(context, { ...message, fromTeam: 'frontend' }, 0).catch((error: unknown) => error)
  expect(failed).toMatchObject({
    code: 'daemon_unreachable',
    message: expect.stringContaining('may have been accepted'),
    remedy: expect.stringContaining(uuidOf(`frontend\0${keys[0]}`).slice(0, 8)),
  })
})

test('one for which there is no daemon to be seen, nor one to be started, is not sent', async () => {
  const path = mkdtempSync(join(tmpdir(), 'iris-send-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  const failed = await sendMessage(
    new TestContext({ env: { IRIS_HOME: path, IRIS_PROCESS: 'iris.start' } }),
    message,
  ).catch((error: Error) => error)
  expect(failed).toMatchObject({ code: 'not_allowed', message: expect.stringContaining(`hides ${path}`) })
})
