import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LineConnection } from '../../src/adapters/client/line-connection.ts'
import { toolCall } from '../../src/adapters/client/tool-call.ts'
import type { LogEntry } from '../../src/base/lib/recent-log.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { plainHttp } from '../support/plain-http.ts'

const mebibyte = 2 ** 20
const never = new AbortController().signal
/** What one line of a subagent says; more of them than a client may leave unread. */
const progress = JSON.stringify({ type: 'system', subtype: 'task_started', description: 'x'.repeat(mebibyte) })

let claude: FakeClaudeSetup
let iris: TestIris
beforeAll(async () => {
  claude = fakeClaude({
    script: (file) => ({
      rules: [
        { when: 'gated', steps: [{ waitForFile: file('go') }, { text: 'done' }] },
        {
          when: 'flooded',
          steps: [...Array.from({ length: 32 }, () => ({ rawStdout: `${progress}\n` })), { text: 'flood over' }],
        },
        { steps: [{ text: 'fine' }] },
      ],
    }),
  })
  const settings = {
    claudePath: claude.claudePath,
    env: { ...claude.env },
    maxMessageBytes: mebibyte,
    logLevel: 'warn',
  }
  iris = await TestIris.start({ settings, teams: ['frontend', 'backend', 'mobile'] })
  await iris.daemon.recovered
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  claude[Symbol.dispose]()
})

const json = () => ({
  authorization: `Bearer ${iris.token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
})
const post = (body: string | Buffer, path = '/mcp') =>
  plainHttp(iris.port, 'POST', path, { host: '127.0.0.1', ...json() }, body as string)
const turns = () => iris.rows('SELECT count(*) AS n FROM turns')
const errors = async (): Promise<LogEntry[]> => {
  const { logs } = await callTool(iris, 'get_logs', { level: 'warn' })
  return logs as LogEntry[]
}

/** The home socket: what was said to these lines, and that the connection continues after them. */
async function linesSay(...lines: readonly (string | Buffer)[]): Promise<Record<string, unknown>[]> {
  const socket = connect(join(iris.world.home, 'daemon.sock'))
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
  for (const line of [
    JSON.stringify({ token: iris.token }),
    ...lines,
    '{"jsonrpc":"2.0","id":"last","method":"ping"}',
  ]) {
    if (!socket.write(line)) await once(socket, 'drain')
    socket.write('\n')
  }
  const answers = (): string[] => heard.split('\n').slice(1, -1)
  await eventually(() => answers().length > lines.length, 'an answer to each line')
  socket.destroy()
  return answers()
    .map((line) => JSON.parse(line))
    .filter(({ id }) => id !== 'last')
}

const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"key${index}":${index}`).join()}}`
const sends = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":${args}}}`
/** None of them is a call that can be made. */
const garbage: readonly (readonly [string, string | Buffer])[] = [
  ['half of a call', sends('{"toTeam":"backend","message":"gar').slice(0, -20)],
  ['nothing but blanks', '   \t '],
  ['a batch of ten thousand calls', `[${Array.from({ length: 10_000 }, () => sends('{}')).join()}]`],
  ['ten thousand keys around a call', `{"jsonrpc":"2.0","id":1,"method":7,"params":${keys(10_000)}}`],
  ['ten thousand arguments', sends(`{"toTeam":"backend","message":"garbage","more":${keys(10_000)}}`)],
  ['a prototype as arguments', sends('{"__proto__":{"toTeam":"backend","message":"garbage"}}')],
  ['a constructor for a tool', sends('{}').replace('send_message', 'constructor')],
  ['arguments that are a list', sends('["backend","garbage"]')],
  ['a number that is none', sends('{"toTeam":"backend","message":"garbage","timeout":1e400}')],
  ['an id that is an object', sends('{"toTeam":"backend","message":"garbage"}').replace('"id":1', '"id":{"a":1}')],
  ['two calls in one line', `${sends('{}')} ${sends('{}')}`],
  [
    'bytes that are no text',
    Buffer.concat([
      Buffer.from(sends('{"toTeam":"backend","message":"garbage ')),
      Buffer.from([0xc3, 0x28, 0xff, 0xfe]),
      Buffer.from('"}'),
    ]),
  ],
  ['text in UTF-16', Buffer.from(sends('{"toTeam":"backend","message":"garbage"}'), 'utf16le')],
]

describe('what clients send that must fill in every argument', () => {
  const asked = {
    toTeam: 'backend',
    message: 'hello',
    fromTeam: 'frontend',
    thread: '',
    timeout: '20000',
    budget: null,
    raw: 'false',
  }

  test('is read as it is meant', async () => {
    const { body } = await post(sends(JSON.stringify(asked)))
    expect(body).toContain('completed')
    const prompt = { name: 'debugger', arguments: { team: 'backend', includeGitDiff: null } }
    const [said] = await linesSay(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: prompt }))
    expect(said).toHaveProperty('result.messages')
  })

  test('is answered as often as it is sent, with one id or two', async () => {
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    expect(await linesSay(ping, ping, ping)).toMatchObject(Array.from({ length: 3 }, () => ({ id: 1, result: {} })))
    const withdrawn = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
    // Nobody waits for the first call any more; the second one is answered.
    const waiting = sends(JSON.stringify({ ...asked, toTeam: 'mobile', message: 'gated', timeout: 0 }))
    const socket = connect(join(iris.world.home, 'daemon.sock'))
    let heard = ''
    socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
    socket.write([JSON.stringify({ token: iris.token }), waiting, ping, withdrawn, ''].join('\n'))
    await eventually(() => heard.includes('"id":1'), 'the answer to the second request')
    expect(heard).toContain('{"result":{},"jsonrpc":"2.0","id":1}')
    socket.destroy()
    await callTool(iris, 'session_cancel', { team: 'mobile', fromTeam: 'frontend' })
  })
})

describe('what is no call that can be made', () => {
  test.each(garbage)('does nothing, and harms nobody: %s', async (_what, body) => {
    const before = turns()
    const { status, body: said } = await post(body)
    expect({ status, said }).toEqual({
      status: expect.toSatisfy((code) => code === 400 || code === 200),
      said: expect.stringMatching(/"error"|"isError":true|\\"error\\"/),
    })
    expect(said).not.toContain('internal')
    for (const answer of await linesSay(body)) expect(JSON.stringify(answer)).toMatch(/"error"|"isError":true/)
    expect(turns()).toEqual(before)
    expect({}).not.toHaveProperty('toTeam')
  })

  test('is refused with a sentence where only its params are wrong', async () => {
    const { body } = await post('{"jsonrpc":"2.0","id":7,"method":"initialize"}')
    expect(JSON.parse(body)).toMatchObject({
      id: 7,
      error: { code: -32_602, message: expect.stringContaining('protocolVersion') },
    })
    const call = '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{}}'
    expect(await linesSay(call)).toMatchObject([
      { id: 8, error: { code: -32_602, message: '"tools/call" needs params with a name.' } },
    ])
  })

  test('does nothing under /api either', async () => {
    const before = turns()
    for (const [what, body] of garbage) {
      const { status } = await post(body, '/api/teams/tell')
      expect([what, status]).toEqual([what, expect.toSatisfy((code) => code >= 400 && code < 500)])
    }
    expect(turns()).toEqual(before)
    expect((await errors()).filter(({ level }) => level === 'error')).toEqual([])
  })
})

/** The first line of the answer to bytes that are hardly HTTP, or nothing where the connection was closed without one. */
async function answerTo(text: string | Buffer): Promise<string> {
  const socket = connect(iris.port, '127.0.0.1').on('error', () => {})
  let heard = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (heard += chunk))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(text)
  await Promise.race([closed, eventually(() => heard !== '', 'an answer')])
  socket.destroy()
  return heard
}

describe('a connection of HTTP', () => {
  const call = sends('{"toTeam":"backend","message":"smuggled"}')
  const head = (lines: readonly string[]): string =>
    [
      `POST /mcp HTTP/1.1`,
      'host: 127.0.0.1',
      ...Object.entries(json()).map(([name, value]) => `${name}: ${value}`),
      ...lines,
    ].join('\r\n') + '\r\n\r\n'
  const inner = (): string => head([`content-length: ${call.length}`]) + call
  test.each([
    ['two lengths', () => head(['content-length: 2', `content-length: ${call.length}`]) + call],
    [
      'a length and chunks',
      () => head([`content-length: ${inner().length + 5}`, 'transfer-encoding: chunked']) + `0\r\n\r\n${inner()}`,
    ],
    ['a negative length', () => head(['content-length: -1']) + call],
    ['a length with a sign', () => head([`content-length: +${call.length}`]) + call],
    ['chunks of a length that is none', () => head(['transfer-encoding: chunked']) + `zz\r\n${call}\r\n0\r\n\r\n`],
    ['chunked twice', () => head(['transfer-encoding: chunked, chunked']) + `0\r\n\r\n${inner()}`],
    ['a header of 100 KB', () => head([`x: ${'x'.repeat(100_000)}`, `content-length: ${call.length}`]) + call],
    [
      'ten thousand headers',
      () => head([...Array.from({ length: 10_000 }, (_, n) => `x${n}: 1`), `content-length: ${call.length}`]) + call,
    ],
    ['a header with a null byte', () => head(['x: a\0b', `content-length: ${call.length}`]) + call],
    ['a host that is none', () => inner().replace('host: 127.0.0.1', 'host: a b@127.0.0.1')],
    ['two hosts', () => inner().replace('host: 127.0.0.1', 'host: 127.0.0.1\r\nhost: elsewhere.example')],
    ['no host', () => inner().replace('host: 127.0.0.1\r\n', '')],
    ['CONNECT', () => inner().replace('POST /mcp', 'CONNECT 127.0.0.1:1')],
    ['TLS', () => Buffer.from('16030100a5010000a1030300112233445566778899aabbccddeeff', 'hex')],
    ['random bytes', () => Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 7919) % 256))],
  ])('whose request has %s does nothing', async (_what, bytes) => {
    const before = turns()
    expect(await answerTo(bytes())).toMatch(/^$|^HTTP\/1\.1 4\d\d /)
    expect(await callTool(iris, 'get_date')).toHaveProperty('timestamp')
    expect(turns()).toEqual(before)
  })

  test('is not waited for by others, though three hundred of them are half open', async () => {
    const halves = Array.from({ length: 300 }, () => connect(iris.port, '127.0.0.1').on('error', () => {}))
    await Promise.all(halves.map((socket) => once(socket, 'connect')))
    for (const socket of halves) socket.write(inner().slice(0, -10))
    expect(await ask(iris, 'mobile', 'hello')).toMatchObject({ response: 'fine' })
    for (const socket of halves) socket.destroy()
    expect(await callTool(iris, 'get_date')).toHaveProperty('timestamp')
    // Nor does their end fill the log.
    expect((await errors()).filter(({ level }) => level === 'error')).toEqual([])
  })

  test('over which too much comes in pieces without a length is refused before all of it has come', async () => {
    const headers = { host: '127.0.0.1', ...json() }
    const sending = request({ host: '127.0.0.1', port: iris.port, method: 'POST', path: '/mcp', headers })
    sending.on('error', () => {})
    const answered = once(sending, 'response')
    const piece = Buffer.alloc(mebibyte, 'x')
    sending.write('{"jsonrpc":"2.0","id":1,"method":"')
    // A request may have 20 MB of files in base64. Who waits for the rest of these 40 MB waits forever.
    void (async () => {
      for (let sent = 0; sent < 40 && !sending.destroyed; sent += 1)
        if (!sending.write(piece)) await Promise.race([once(sending, 'drain'), answered])
    })().catch(() => {})
    const [response] = await answered
    expect(response.statusCode).toBe(413)
    sending.destroy()
  })
})

describe('the home socket', () => {
  // That such a line is not kept in memory is shown in base/lib/line-splitter.test.ts.
  test('refuses a line of 100 MB, and the connection goes on', async () => {
    const line = Buffer.alloc(100 * mebibyte, 'x')
    expect(await linesSay(line)).toMatchObject([
      { error: { code: -32_600, message: expect.stringContaining('too long') } },
    ])
  })
})

describe('a message of up to one mebibyte', () => {
  const bytes = mebibyte
  test.each([
    ['of null bytes', `${'\0'.repeat(bytes / 4)}x`],
    ['of halves of characters', '\ud83d'.repeat(Math.floor(bytes / 3))],
    ['of control characters', '\u001b[2J\u0007\u0085'.repeat(bytes / 16)],
    ['of closing envelopes', '</iris-message>'.repeat(Math.floor(bytes / 15))],
    ['of open brackets', '['.repeat(bytes)],
  ])('%s is answered or refused, and the next one is served', async (_what, message) => {
    const answer = await callTool(iris, 'send_message', { toTeam: 'backend', message, timeout: 0 })
    const outcome = 'error' in answer ? (answer['error'] as { code: string }).code : answer['status']
    expect(outcome).toMatch(/^(completed|invalid_input|message_too_long)$/)
    expect(await ask(iris, 'backend', 'next')).toMatchObject({ response: 'fine' })
  })

  test.each(['thread', 'idempotencyKey', 'fromTeam'])('is no %s', async (field) => {
    const args = { toTeam: 'backend', message: 'x', timeout: 0, [field]: 'x\0\ud83d'.repeat(mebibyte / 8) }
    expect(await callTool(iris, 'send_message', args)).toMatchObject({
      error: { code: expect.stringMatching(/^(invalid_input|unknown_team|from_mismatch)$/) },
    })
  })
})

describe('a client that', () => {
  test('makes a thousand calls at once keeps nobody else from being served', async () => {
    const lines = await LineConnection.open({ path: join(iris.world.home, 'daemon.sock'), token: iris.token })
    const calls = Array.from({ length: 1000 }, (_, id) =>
      lines!.request(toolCall(id, 'send_message', { toTeam: 'backend', message: `gated ${id}`, timeout: 0 }), never),
    )
    let open = calls.length
    for (const call of calls)
      void call.then(
        () => (open -= 1),
        () => (open -= 1),
      )
    await eventually(() => claude.oracle().some(({ event }) => event === 'message'), 'one of them is at work')
    expect(await ask(iris, 'mobile', 'hello', { fromTeam: 'frontend' })).toMatchObject({ response: 'fine' })
    expect(open).toBeGreaterThan(0)
    lines!.close()
    await Promise.allSettled(calls)
    claude.open('go')
    const left = "SELECT count(*) AS n FROM turns WHERE state <> 'settled'"
    await eventually(() => iris.rows(left)[0]?.['n'] === 0, 'an end of each')
    const ends = iris.rows("SELECT outcome, count(*) AS n FROM turns WHERE message LIKE 'gated %' GROUP BY outcome")
    expect(ends.map(({ outcome }) => outcome)).toEqual(['completed'])
  }, 120_000)

  test.each(['2025-11-25', '2026-07-28'])(
    'leaves what it is sent over /mcp (%s) unread: its stream is ended, its turn is not',
    async (version) => {
      const modern = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const meta = { progressToken: 1, ...(version === '2026-07-28' && modern) }
      const args = { toTeam: 'backend', message: `flooded ${version}`, timeout: 0 }
      const body = sends(JSON.stringify(args)).replace('"arguments"', `"_meta":${JSON.stringify(meta)},"arguments"`)
      const headers = Object.entries({
        host: '127.0.0.1',
        ...json(),
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
        'mcp-name': 'send_message',
        'content-length': String(Buffer.byteLength(body)),
      })
      const deaf: Socket = connect(iris.port, '127.0.0.1')
        .on('error', () => {})
        .pause()
      const unread = async (): Promise<LogEntry[]> =>
        (await errors()).filter(({ message }) => message.includes('does not read'))
      const known = (await unread()).length
      deaf.write(`POST /mcp HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
      await eventually(async () => (await unread()).length > known, 'a line in the log')
      expect((await unread()).at(-1)).toMatchObject({ context: 'mcp', ids: { unreadBytes: expect.any(Number) } })
      await eventually(
        () =>
          iris.rows(`SELECT outcome FROM turns WHERE message = 'flooded ${version}'`)[0]?.['outcome'] === 'completed',
        'the turn to end',
      )
      deaf.destroy()
    },
  )
})
