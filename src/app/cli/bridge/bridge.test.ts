import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { type JsonRpcMessage, metaOf } from '../../../adapters/client/json-rpc.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { createLog } from '../../../base/lib/log.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { FoundDaemon } from '../find-daemon.ts'
import { Bridge } from './bridge.ts'
import { DaemonLink } from './daemon-link.ts'

interface Asked {
  readonly message: JsonRpcMessage
  readonly headers: IncomingMessage['headers']
  readonly response: ServerResponse
}

/** An endpoint that records its requests, and a bridge to it. */
async function setUp(answer: (asked: Asked) => void) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void json(request).then((message) => {
      const one = { message: message as JsonRpcMessage, headers: request.headers, response }
      asked.push(one)
      answer(one)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const url = `http://127.0.0.1:${port}`
  const daemon: FoundDaemon = {
    pid: 1,
    port,
    startedAt: 0,
    version: '',
    url,
    mcp: { url: `${url}/mcp`, token: 'secret' },
    owner: 'secret of the owner',
  }
  const calls = { ensure: 0, find: 0 }
  const link = new DaemonLink({
    ensure: async () => {
      calls.ensure += 1
      return { ...daemon }
    },
    find: async () => {
      calls.find += 1
      return { ...daemon }
    },
  })
  return { asked, calls, ...bridgeTo(link) }
}

function bridgeTo(link: DaemonLink) {
  const sent: JsonRpcMessage[] = []
  let wake = Promise.withResolvers<void>()
  let keys = 0
  const bridge = new Bridge({
    link,
    directory: '/projects/größe',
    shareName: 'bridge-1',
    send: (message) => {
      sent.push(message)
      wake.resolve()
      wake = Promise.withResolvers()
    },
    log: createLog({ least: () => 'error' }),
    clock: systemClock,
    newId: () => `key ${(keys += 1)}`,
  })
  const until = async (fits: (message: JsonRpcMessage) => boolean): Promise<JsonRpcMessage> => {
    for (;;) {
      const found = sent.find(fits)
      if (found) return found
      await wake.promise
    }
  }
  return { bridge, sent, until, receive: (message: unknown) => bridge.receive(JSON.stringify(message)) }
}

function stream(response: ServerResponse, ...messages: object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const message of messages) response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
}

function answered({ message, response }: Asked, result: unknown): void {
  stream(response, { jsonrpc: '2.0', id: message.id, result })
  response.end()
}

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'send_message', arguments: { toTeam: 'b' } },
}

test('everything that comes back for a request reaches the client, under the token and the directory', async () => {
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, message: 'a\u2028b' } }
  const { asked, sent, until, receive } = await setUp(({ message, response }) => {
    stream(response, progress, { jsonrpc: '2.0', id: message.id, result: { ok: true } })
    response.end()
  })
  receive(call)
  await until(({ id }) => id === 1)
  expect(sent).toEqual([progress, { jsonrpc: '2.0', id: 1, result: { ok: true } }])
  expect(asked[0]?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'iris-project-directory': encodeURIComponent('/projects/größe'),
  })
  expect(asked[0]?.headers).not.toHaveProperty('mcp-method')
})

test('requests run side by side: a later one is answered while an earlier one waits', async () => {
  const { sent, until, receive } = await setUp((asked) => {
    if (asked.message.id === 'later') answered(asked, {})
  })
  receive(call)
  receive({ ...call, id: 'later' })
  await until(({ id }) => id === 'later')
  expect(sent).toHaveLength(1)
})

test('a call whose stream breaks off is sent again under the same key, another call has another key', async () => {
  const { asked, calls, until, receive } = await setUp((one) => {
    if (asked.length === 1) one.response.destroy()
    else if (asked.length === 2) {
      stream(one.response, { jsonrpc: '2.0', method: 'notifications/progress' })
      one.response.end()
    } else answered(one, {})
  })
  receive(call)
  await until(({ id }) => id === 1)
  receive({ ...call, id: 2 })
  await until(({ id }) => id === 2)
  const keys = asked.map(({ message }) => metaOf(message)['iris/idempotencyKey'])
  expect(keys).toEqual(['key 1', 'key 1', 'key 1', 'key 2'])
  expect(calls.ensure).toBe(3)
})

test('a call that ends the daemon every time is given up', async () => {
  const { asked, until, receive } = await setUp(({ response }) => response.destroy())
  receive(call)
  expect(await until(({ id }) => id === 1)).toMatchObject({
    error: { code: -32_000, message: expect.stringContaining('iris start'), data: { code: 'daemon_unreachable' } },
  })
  expect(asked).toHaveLength(11)
})

test('a call that was on its way says that it may have been accepted, and with which key it is the same call', async () => {
  const { until, receive } = await setUp(({ response }) => response.destroy())
  receive(call)
  receive({ ...call, id: 2, params: { name: 'team_sleep', arguments: { team: 'b' } } })
  const [sent, other] = await Promise.all([until(({ id }) => id === 1), until(({ id }) => id === 2)])
  expect(sent.error?.message).toContain('may have been accepted')
  expect(sent.error?.message).toContain('idempotencyKey "key 1"')
  expect(other.error?.message).toContain('may have taken effect')
})

test('a call for which there is no daemon says that nothing was sent', async () => {
  const url = 'http://127.0.0.1:1'
  const nobody = { pid: 1, port: 1, startedAt: 0, version: '', url, mcp: { url, token: '' }, owner: undefined }
  const { until, receive } = bridgeTo(new DaemonLink({ ensure: async () => nobody, find: async () => nobody }))
  receive(call)
  const { error } = await until(({ id }) => id === 1)
  expect(error?.message).toContain('nothing was sent')
  expect(error?.message).not.toContain('may have')
})

test('a client that only listens is no reason to start a daemon', async () => {
  const listen = { jsonrpc: '2.0', id: 9, method: 'subscriptions/listen' }
  const { asked, calls, until, receive } = await setUp((one) => {
    if (asked.length === 1) one.response.destroy()
    else answered(one, {})
  })
  receive(listen)
  await until(({ id }) => id === 9)
  expect(calls).toEqual({ ensure: 1, find: 1 })
})

test('a refusal outside a stream is the answer to the request it refuses', async () => {
  const { until, receive } = await setUp(({ message, response }) => {
    const known =
      message.id === 1 ? { jsonrpc: '2.0', id: null, error: { code: -32_020, message: 'no header' } } : undefined
    const own = { error: { code: 'unauthorized', message: 'This needs the token.', remedy: 'Run "iris token".' } }
    response.writeHead(known ? 400 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(known ?? own))
  })
  receive(call)
  receive({ ...call, id: 2 })
  expect(await until(({ id }) => id === 1)).toMatchObject({ error: { code: -32_020, message: 'no header' } })
  expect(await until(({ id }) => id === 2)).toMatchObject({
    error: { code: -32_000, message: 'This needs the token. Run "iris token".', data: { code: 'unauthorized' } },
  })
})

test('a withdrawn request has its stream closed and gets no answer', async () => {
  const closed = Promise.withResolvers<void>()
  const { sent, until, receive } = await setUp((one) => {
    if (one.message.id === 2) return answered(one, {})
    stream(one.response, { jsonrpc: '2.0', method: 'notifications/progress' })
    one.response.on('close', () => closed.resolve())
  })
  receive(call)
  await until(({ method }) => method === 'notifications/progress')
  receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await closed.promise
  receive({ ...call, id: 2 })
  await until(({ id }) => id === 2)
  expect(sent.some(({ id }) => id === 1)).toBe(false)
})

test('what is no request is refused, and the next one is served', async () => {
  const { bridge, asked, sent, until, receive } = await setUp((one) => answered(one, {}))
  bridge.receive('{"jsonrpc": "2.0", oops')
  receive(7)
  receive({ id: 5, method: 'ping' })
  receive({ jsonrpc: '2.0', id: 6, result: 'to nobody' })
  receive([call, { ...call, id: 2 }])
  await Promise.all([until(({ id }) => id === 1), until(({ id }) => id === 2)])
  expect(sent.slice(0, 3).map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32_700],
    [null, -32_600],
    [null, -32_600],
  ])
  expect(asked).toHaveLength(2)
})

test('without a daemon each request is told why, and the next one tries again', async () => {
  let tries = 0
  const ensure = async (): Promise<FoundDaemon> => {
    tries += 1
    throw new IrisError('daemon_unreachable', 'The daemon does not run.', 'See its log.')
  }
  const { until, receive } = bridgeTo(new DaemonLink({ ensure, find: async () => undefined }))
  receive(call)
  expect(await until(({ id }) => id === 1)).toMatchObject({
    error: { code: -32_000, message: 'The daemon does not run. See its log.' },
  })
  receive({ ...call, id: 2 })
  await until(({ id }) => id === 2)
  expect(tries).toBe(2)
})
