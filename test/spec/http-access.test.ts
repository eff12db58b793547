import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestIris } from '../support/iris.ts'
import { plainHttp } from '../support/plain-http.ts'

const json = 'application/json'
const maxMessageBytes = 10_000

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ settings: { maxMessageBytes } })
})
afterAll(() => iris[Symbol.asyncDispose]())

const http = (method: string, path: string, headers: Record<string, string>, body?: string) =>
  plainHttp(iris.port, method, path, headers, body)

const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
const bearer = () => ({ authorization: `Bearer ${iris.token}` })
const post = (body: string, headers: Record<string, string> = {}) =>
  http('POST', '/mcp', { ...bearer(), 'content-type': json, accept: `${json}, text/event-stream`, ...headers }, body)

test('whoever has the token is let in, whatever loopback name he uses', async () => {
  for (const host of ['127.0.0.1', 'localhost:1615', '[::1]:80']) {
    expect(await post(list, { host, origin: `http://${host}` })).toMatchObject({ status: 200 })
  }
})

describe('is refused with 403 although it has the token', () => {
  test.each([
    ['a page that rebound its name', { host: 'evil.example' }],
    ['a name that only begins like loopback', { host: '127.0.0.1.evil.example' }],
    ['a page from elsewhere', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
  ])('%s', async (_who, headers: Record<string, string>) => {
    const answer = await post(list, headers)
    expect(answer.status).toBe(403)
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'not_allowed', remedy: expect.any(String) } })
  })
})

test.each([
  ['POST', '/mcp'],
  ['GET', '/mcp'],
  ['POST', '/stop'],
  ['GET', '/nothing'],
])('%s %s without the token, or with another, is refused with 401', async (method, path) => {
  for (const headers of [{}, { authorization: 'Bearer' }, { authorization: `Bearer ${iris.token}x` }]) {
    const answer = await http(method, path, { 'content-type': json, ...headers }, method === 'POST' ? list : '')
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'unauthorized', remedy: expect.any(String) } })
    expect(answer.body).toContain(
      'authorization' in headers ? 'does not belong to this Iris' : 'token of this Iris is missing',
    )
    expect(answer.body).not.toContain(iris.token)
  }
})

test.each(['%', '%E0%A4'])('a project directory that cannot be decoded ("%s") is refused', async (directory) => {
  const answer = await post(list, { 'iris-project-directory': directory })
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'invalid_input', remedy: expect.any(String) } })
})

test('there is no stream without a request', async () => {
  expect(await http('GET', '/mcp', { ...bearer(), accept: 'text/event-stream' })).toMatchObject({ status: 405 })
})

test('that it is alive is told without a token, and nothing more', async () => {
  const answer = await http('GET', '/health', {})
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.body)).toEqual({ status: 'ok', version: expect.any(String) })
})

test.each([
  ['half a message', '{"jsonrpc":"2.0","id":1,', 400, -32_700],
  ['no JSON-RPC', '{"hello":"world"}', 400, -32_600],
  ['a method nobody knows', '{"jsonrpc":"2.0","id":1,"method":"no/such"}', 200, -32_601],
])('%s is answered as JSON-RPC says', async (_what, body, status, code) => {
  const answer = await post(body)
  expect(answer.status).toBe(status)
  expect(answer.body).toContain(`"code":${code}`)
})

test.each([
  ['says its length', {}],
  ['comes in chunks', { 'transfer-encoding': 'chunked' }],
])(
  'a body that %s and that no message could need is refused with 413, and the next one is served',
  async (_how, framing) => {
    const call = (message: string) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'send_message', arguments: { toTeam: 'backend', message } },
      })
    const answer = await post(call('x'.repeat(40_000_000)), framing)
    expect(answer.status).toBe(413)
    expect((await post(call('x'.repeat(maxMessageBytes + 1)), framing)).body).toContain('message_too_long')
    expect((await post(list, framing)).status).toBe(200)
  },
)
