import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { signIn } from '../support/browser-login.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { plainHttp } from '../support/plain-http.ts'
import { spoken } from '../support/world.ts'

const clock = new JumpingClock()

/** Each of its answers is long enough for twenty to be more than is kept. */
const fake = fakeClaude({ script: { rules: [{ steps: [{ text: 'x'.repeat(300_000) }] }] } })

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({
    clock,
    teams: { backend: {}, frontend: {}, loud: { claudePath: fake.claudePath, env: { ...fake.env } } },
    script: ({ conversation: { lastUserText } }) => ({ text: `answer to ${spoken(lastUserText)}` }),
  })
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  fake[Symbol.dispose]()
})

interface Message {
  readonly id?: string
  readonly type: string
  readonly data: Record<string, unknown>
}

/** A reader of `/api/stream` as a WebSocket. */
class Reader implements Disposable {
  readonly received: Message[] = []
  readonly socket: WebSocket

  constructor(query: string, headers: Record<string, string>) {
    this.socket = new WebSocket(`ws://127.0.0.1:${iris.port}/api/stream${query}`, { headers })
    this.socket.on('message', (data) => this.received.push(...JSON.parse(String(data))))
  }

  next(type: string, fits: (data: Message['data']) => boolean = () => true): Promise<Message> {
    return eventually(() => this.received.find((each) => each.type === type && fits(each.data)), `${type} comes`)
  }

  [Symbol.dispose](): void {
    this.socket.terminate()
  }
}

const bearer = () => ({ authorization: `Bearer ${iris.token}` })
const own = () => `http://127.0.0.1:${iris.port}`

/** The status with which the handshake is refused. */
async function refused(headers: Record<string, string>, path = '/api/stream'): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${iris.port}${path}`, { headers })
  socket.on('error', () => {})
  const [, response] = await Promise.race([
    once(socket, 'unexpected-response'),
    once(socket, 'open').then(() => [undefined, { statusCode: 101 }]),
  ])
  socket.terminate()
  return response.statusCode
}

test('a socket is told how things stand, then what happens, as the stream of events is', async () => {
  using reader = new Reader('', bearer())
  const snapshot = await reader.next('snapshot')
  expect(snapshot).toEqual({ id: expect.stringMatching(/^\w+-\d+\.\d+$/), type: 'snapshot', data: expect.anything() })
  expect(snapshot.data).toMatchObject({
    teams: [{ name: 'backend' }, { name: 'frontend' }, { name: 'loud' }],
    turns: [],
  })
  const { turnId } = await ask(iris, 'backend', 'hello')
  await reader.next('turn-settled', (data) => data['turnId'] === turnId)
  const types = reader.received.filter(({ data }) => data['turnId'] === turnId).map(({ type }) => type)
  expect(types.filter((type) => !['turn-message', 'turn-text'].includes(type))).toEqual([
    'turn-accepted',
    'turn-delivered',
    'turn-settled',
  ])
})

test('who comes back with the last id gets what was missed, and no snapshot', async () => {
  // Lines of conversations are kept while someone reads.
  using other = new Reader('', bearer())
  const first = new Reader('?team=frontend', bearer())
  await first.next('snapshot')
  await ask(iris, 'frontend', 'one')
  const { id } = await first.next('turn-settled')
  first[Symbol.dispose]()
  await ask(iris, 'backend', 'not for this reader')
  const missed = await ask(iris, 'frontend', 'two')
  using second = new Reader(`?team=frontend&after=${id}`, bearer())
  await second.next('turn-settled', ({ turnId }) => turnId === missed.turnId)
  expect(second.received.some(({ type }) => type === 'snapshot')).toBe(false)
  expect(other.received.some(({ data }) => data['to'] === 'backend')).toBe(true)
  expect(second.received.some(({ data }) => data['to'] === 'backend')).toBe(false)
})

describe('the handshake', () => {
  test('of a browser needs its cookie and that the page is the dashboard', async () => {
    const cookie = await signIn(iris)
    expect(await refused({ cookie, origin: own() })).toBe(101)
    expect(await refused({ cookie })).toBe(403)
    for (const origin of ['http://127.0.0.1:9', 'https://evil.example', 'null', `http://localhost:${iris.port}`]) {
      expect({ origin, status: await refused({ cookie, origin }) }).toEqual({ origin, status: 403 })
    }
    expect(await refused({ cookie: 'iris-1=x', origin: own() })).toBe(401)
    expect(await refused({ origin: own() })).toBe(401)
    expect(await refused({ ...bearer(), host: 'evil.example' })).toBe(403)
  })

  test('is for this one address, and another upgrade is left alone', async () => {
    expect(await refused(bearer(), '/api/teams')).toBe(400)
    expect(await refused(bearer(), '/health')).toBe(400)
    expect(await refused(bearer(), '/mcp')).toBe(405)
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
    }
    expect(await plainHttp(iris.port, 'GET', '/health', headers)).toMatchObject({ status: 200 })
  })
})

test('a browser that signs out is told no more', async () => {
  const cookie = await signIn(iris)
  using reader = new Reader('', { cookie, origin: own() })
  await reader.next('snapshot')
  const closed = once(reader.socket, 'close')
  await plainHttp(iris.port, 'POST', '/logout', { cookie, origin: own(), 'content-type': 'application/json' }, '{}')
  expect((await closed)[0]).toBe(1001)
})

test('one that does not answer any more is let go of, one that does is kept', async () => {
  const { readers } = iris.daemon.parts.vitals
  await eventually(() => readers.count === 0, 'those of before have gone')
  using gone = new Reader('', bearer())
  using here = new Reader('', bearer())
  await Promise.all([gone.next('snapshot'), here.next('snapshot')])
  // It takes nothing in, and so answers nothing.
  gone.socket.pause()
  const pinged = once(here.socket, 'ping')
  await clock.jump(30_000)
  await pinged
  // What answers this has taken in the answer before it.
  here.socket.ping()
  await once(here.socket, 'pong')
  await clock.jump(30_000)
  await eventually(() => readers.count === 1, 'one is left')
  const { turnId } = await ask(iris, 'backend', 'still there?')
  expect(await here.next('turn-settled')).toMatchObject({ data: { turnId } })
})

test('one that takes nothing for a while holds up nobody, and is sent the present state again', {
  tags: ['thorough'],
}, async () => {
  using slow = new Reader('', bearer())
  await slow.next('snapshot')
  slow.socket.pause()
  const turnIds: string[] = []
  for (let each = 0; each < 41; each += 1) turnIds.push((await ask(iris, 'loud', 'say something')).turnId)
  slow.socket.resume()
  await eventually(() => slow.received.filter(({ type }) => type === 'snapshot').length === 2, 'the second snapshot')
  const withLines = new Set(
    slow.received.flatMap(({ type, data }) => (type === 'turn-message' ? [data['turnId']] : [])),
  )
  // The lines of the last turns are in memory still; others are missing, and the gap says so.
  expect(withLines).toContain(turnIds.at(-1))
  expect(turnIds.some((turnId) => !withLines.has(turnId))).toBe(true)
  expect(slow.received.map(({ type }) => type)).toContain('gap')
})

test('a reader that says more than nothing is cut off', async () => {
  using reader = new Reader('', bearer())
  await reader.next('snapshot')
  const closed = once(reader.socket, 'close')
  reader.socket.send('x'.repeat(2000))
  expect((await closed)[0]).toBe(1009)
})

test('a stop of Iris ends the sockets', async () => {
  using reader = new Reader('', bearer())
  await reader.next('snapshot')
  const closed = once(reader.socket, 'close')
  await iris.restart()
  expect((await closed)[0]).toBe(1001)
})
