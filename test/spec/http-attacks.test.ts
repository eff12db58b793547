import { once } from 'node:events'
import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contracts, operationNames } from '../../src/features/contracts.ts'
import { aProgram } from '../../src/kernel/call/principal.ts'
import { callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { type PlainAnswer, plainHttp } from '../support/plain-http.ts'

const clock = new JumpingClock()
const perMinute = 600

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', clock, settings: { callsPerMinute: perMinute } })
})
afterAll(() => iris[Symbol.asyncDispose]())

const http = (method: string, path: string, headers: Record<string, string>, body?: string) =>
  plainHttp(iris.port, method, path, headers, body)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const owner = () => ({ port: iris.port, token: iris.world.owner() })
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
const audit = (action: string) =>
  iris
    .rows(`SELECT actor, action, subject, decision, detail FROM audit WHERE action = '${action}' ORDER BY sequence`)
    .map((row) => ({ ...row, detail: JSON.parse(String(row['detail'])) }))
const refused = (code: string) => ({ error: { code, message: expect.any(String), remedy: expect.any(String) } })

/** Every route there is, and one that is not. */
const routes = [
  ['GET', '/health'],
  ['GET', '/.well-known/oauth-protected-resource'],
  ['POST', '/mcp'],
  ['GET', '/mcp'],
  ['POST', '/stop'],
  ['GET', '/nothing'],
] as const

describe.each(routes)('%s %s', (method, path) => {
  test.each([
    ['a name that was rebound to this machine', { host: 'evil.example' }],
    ['a name that only begins like this machine', { host: '127.0.0.1.evil.example' }],
    ['a page from elsewhere', { origin: 'https://evil.example' }],
    ['a page on another port of this machine', { origin: 'http://127.0.0.1:9' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page that sends no origin, as for an image', { 'sec-fetch-site': 'cross-site' }],
  ])('is closed to %s, even with the credential of the owner', async (_who, headers: Record<string, string>) => {
    const answer = await http(method, path, { ...bearer(iris.world.owner()), ...json, ...headers })
    expect(answer.status).toBe(403)
    expect(JSON.parse(answer.body)).toEqual(refused('not_allowed'))
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('answers with headers that let a browser do nothing with it', async () => {
    const { headers } = await http(method, path, { ...json })
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
  })
})

describe('the handshake of a WebSocket', () => {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }

  async function shake(path: string, headers: Record<string, string>): Promise<string> {
    const socket = connect(iris.port, '127.0.0.1')
    const lines = Object.entries({ host: `127.0.0.1:${iris.port}`, ...upgrade, ...headers })
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    const [chunk] = await once(socket, 'data')
    socket.destroy()
    return String(chunk).split('\r\n')[0]!
  }

  test.each(['/mcp', '/events', '/'])('at %s is refused to other sites and without a credential', async (path) => {
    const credential = bearer(iris.world.owner())
    const evil = { origin: 'https://evil.example' }
    expect(await shake(path, { ...evil, ...credential })).toContain(' 403 ')
    expect(await shake(path, evil)).toContain(' 403 ')
    expect(await shake(path, { origin: `http://127.0.0.1:${iris.port}` })).toContain(' 401 ')
    expect(await shake(path, {})).toContain(' 401 ')
    expect(await shake(path, credential)).toMatch(/ (404|405) /)
  })
})

test('clients of MCP that look for OAuth are told in plain JSON, and without a credential, that there is none', async () => {
  for (const path of ['oauth-protected-resource', 'oauth-protected-resource/mcp', 'oauth-authorization-server']) {
    const answer = await http('GET', `/.well-known/${path}`, {})
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': expect.stringContaining('json') } })
    expect(JSON.parse(answer.body)).toEqual(refused('invalid_input'))
  }
  expect((await http('POST', '/mcp', json, list)).headers).not.toHaveProperty('www-authenticate')
})

describe('a fromTeam that disagrees with the connection', () => {
  test('is refused to the bridge of a team, and recorded', async () => {
    const directory = iris.world.directory('frontend')
    for (const fromTeam of ['backend', 'external']) {
      expect(
        await refusal(iris, 'send_message', { toTeam: 'backend', message: 'x', fromTeam }, { directory }),
      ).toMatchObject({ code: 'from_mismatch' })
    }
    expect(await refusal(iris, 'session_report', { team: 'mobile', fromTeam: 'backend' }, { directory })).toMatchObject(
      {
        code: 'from_mismatch',
      },
    )
    expect(audit('from.mismatch')).toMatchObject([
      { actor: 'program', subject: 'send_message', decision: 'refused', detail: { why: expect.any(String) } },
      { actor: 'program', subject: 'send_message' },
      { actor: 'program', subject: 'session_report' },
    ])
  })

  test('that names no configured team is refused to a program', async () => {
    expect(await refusal(iris, 'send_message', { toTeam: 'backend', message: 'x', fromTeam: 'ghost' })).toMatchObject({
      code: 'unknown_team',
    })
  })
})

test("a program's token does nothing that is the owner's", async () => {
  const answer = await http('POST', '/stop', bearer(iris.token))
  expect(answer.status).toBe(403)
  expect(JSON.parse(answer.body)).toEqual(refused('not_allowed'))
  expect(audit('call.refused')).toMatchObject([{ actor: 'program', subject: 'POST /stop' }])
  const owners = operationNames.filter((name) => (contracts[name].access as string) === 'owner')
  for (const name of owners) expect(await refusal(iris, name, {})).toMatchObject({ code: 'not_allowed' })
  expect(await callTool(iris, 'get_date')).toHaveProperty('timestamp')
})

test('wrong credentials are recorded, but a flood of them does not fill the disk', async () => {
  const before = audit('credential.refused').length
  for (let attempt = 0; attempt < 100; attempt++) {
    expect(await http('POST', '/mcp', bearer(`guess ${attempt}`))).toMatchObject({ status: 401 })
  }
  expect(audit('credential.refused').length).toBeLessThanOrEqual(before + 20)
  await clock.jump(61_000)
  await http('POST', '/mcp', {})
  const entries = audit('credential.refused')
  expect(entries.at(-1)).toMatchObject({
    actor: 'unknown',
    subject: 'POST /mcp',
    detail: { credential: 'none', leftOutBefore: expect.any(Number) },
  })
  expect(entries.length + Number(entries.at(-1)?.detail.leftOutBefore)).toBeGreaterThan(before + 100)
  expect(JSON.stringify(entries)).not.toContain('guess')
})

test('of 10 000 calls in a minute those over the limit are refused with when to try again', async () => {
  await clock.jump(60_000)
  const { operations } = iris.daemon
  const auth = { principal: aProgram, team: undefined, parent: undefined } as const
  const call = { auth, signal: new AbortController().signal, progress: () => {}, idempotencyKey: undefined }
  const began = clock.elapsed()
  const calls = Array.from({ length: 10_000 }, () => operations.call('get_date', {}, call))
  const done = (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length
  expect(done).toBeGreaterThanOrEqual(perMinute)
  expect(done).toBeLessThanOrEqual(perMinute + ((clock.elapsed() - began) * perMinute) / 60_000 + 1)

  const { tool, other } = await overTheLimit()
  expect(tool).toMatchObject({ code: 'too_many_calls', retryAfterMs: expect.any(Number) })
  expect(other.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^[1-9]\d*$/) })
  expect(JSON.parse(other.body)).toMatchObject(refused('too_many_calls'))
  expect(await callTool(owner(), 'get_date')).toHaveProperty('timestamp')
  expect(audit('call.limited').length).toBeLessThanOrEqual(2 * 20)
  await clock.jump(60_000)
  expect(await callTool(iris, 'get_date')).toHaveProperty('timestamp')
})

test('a connection that rested while the daemon was busy for seconds is good for the next request', async () => {
  const socket = connect(iris.port, '127.0.0.1').setEncoding('utf8')
  const request = `GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`
  socket.write(request)
  const [first] = await once(socket, 'data')
  expect(first).toContain('\r\nKeep-Alive: timeout=5\r\n')
  // Beyond what the client was told, and what Node adds to it: nothing happens in this process meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6500)
  socket.write(request)
  const [second] = await once(socket, 'data')
  expect(second).toContain(' 200 OK\r\n')
  socket.destroy()
})

/** A call of a tool and another request, each repeated until it is refused: the bucket fills by ten in a second. */
async function overTheLimit() {
  let tool: Record<string, unknown> = {}
  let other: PlainAnswer | undefined
  while (!('error' in tool)) tool = await callTool(iris, 'get_date')
  while (other?.status !== 429) other = await http('POST', '/mcp', { ...bearer(iris.token), ...json }, list)
  return { tool: tool['error'], other }
}

test('a body of 50 MB is refused before it has come', async () => {
  const socket = connect(iris.port, '127.0.0.1')
  const head = { host: '127.0.0.1', ...bearer(iris.token), ...json, 'content-length': String(50 * 1024 * 1024) }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n{"jsonrpc":"2.0",`)
  const [chunk] = await once(socket, 'data')
  socket.destroy()
  expect(String(chunk)).toContain(' 413 ')
  expect(await callTool(iris, 'get_date')).toHaveProperty('timestamp')
})

test.each([
  ['lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
])('JSON of 100 000 %s in each other is refused, alone and as an argument', async (_what, deep) => {
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_agent","arguments":{"agentType":"debugger","context":${deep}}}}`
  for (const body of [deep, call]) {
    const answer = await http('POST', '/mcp', { ...bearer(iris.token), ...json }, body)
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('nested deeper') })
  }
  expect(await callTool(iris, 'get_date')).toHaveProperty('timestamp')
})

describe('the files of the credentials', () => {
  const file = (name: string) => join(iris.world.home, name)

  const warnings = async () => JSON.stringify(await callTool(iris, 'get_logs', { level: 'warn' }))

  test('are for their owner alone, 256 bits each, and different', () => {
    for (const name of ['token', 'owner']) {
      expect(statSync(file(name)).mode & 0o777).toBe(0o600)
      expect(Buffer.from(readFileSync(file(name), 'utf8').trim(), 'base64url')).toHaveLength(32)
    }
    expect(iris.token).not.toBe(iris.world.owner())
  })

  test.each(['token', 'owner'])('are replaced where others could read them: %s', async (name) => {
    const known = readFileSync(file(name), 'utf8').trim()
    chmodSync(file(name), 0o644)
    await iris.restart()
    expect(statSync(file(name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(file(name), 'utf8').trim()).not.toBe(known)
    expect((await http('POST', '/mcp', { ...bearer(known), ...json }, list)).status).toBe(401)
    expect(await warnings()).toContain(`${file(name)} could be read by others (mode 644): a new token has been made`)
  })

  test.each([
    ['that is empty', ''],
    ['that holds something else', 'password'],
  ])('are replaced where there is one %s', async (_what, text) => {
    writeFileSync(file('token'), text)
    await iris.restart()
    expect(iris.token).toHaveLength(43)
    expect(await callTool(iris, 'get_date')).toHaveProperty('timestamp')
  })

  test('a configuration that others can read is warned about', async () => {
    chmodSync(file('config.yaml'), 0o644)
    await iris.restart()
    expect(await warnings()).toContain(`others can read ${file('config.yaml')} (mode 644)`)
    chmodSync(file('config.yaml'), 0o600)
    await iris.restart()
    expect(await warnings()).not.toContain('others can read')
  })

  test('that are links keep Iris from starting', async () => {
    rmSync(file('owner'))
    writeFileSync(file('elsewhere'), 'x')
    symlinkSync(file('elsewhere'), file('owner'))
    await expect(iris.restart()).rejects.toMatchObject({ code: 'config_invalid', remedy: expect.any(String) })
    rmSync(file('owner'))
    await iris.restart()
  })
})

test('a body is checked, and a call counted once, in whatever case its content type is written', async () => {
  await clock.jump(60_000)
  const upper = { ...bearer(iris.world.token()), ...json, 'content-type': 'Application/JSON' }
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'['.repeat(200)}${']'.repeat(200)}}`
  expect(await http('POST', '/mcp', upper, deep)).toMatchObject({
    status: 400,
    body: expect.stringContaining('nested deeper'),
  })
  const params = { name: 'get_date', arguments: {} }
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const answers = []
  for (let calls = 0; calls < perMinute - 10; calls++) answers.push(await http('POST', '/mcp', upper, call))
  expect(answers.filter(({ body }) => !body.includes('timestamp') && !body.includes('iso'))).toEqual([])
})
