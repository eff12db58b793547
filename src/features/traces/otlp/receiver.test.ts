import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { scratchDirectory } from '../../../../test/support/scratch.ts'
import { createLog } from '../../../base/lib/log.ts'
import { openDatabase } from '../../../platform/store/database.ts'
import { TelemetryReceiver } from './receiver.ts'

const directory = scratchDirectory()
const file = `${directory.path}/store.db`
const received: string[] = []
let status = 200
const collector = createServer((request, response) => {
  let text = ''
  request.on('data', (part) => (text += part))
  request.on('end', () => {
    received.push(`${request.url} ${text}`)
    response.writeHead(status).end()
  })
})
const clock = new FakeClock()
let receiver: TelemetryReceiver
/** The threads that were started. */
const workers: Worker[] = []
const seen = (worker: Worker): unknown => workers.push(worker)
process.on('worker', seen)

/** A conversation with one turn at work. */
function conversation(id: number, sessionId: string): void {
  const store = openDatabase(file)
  const now = Date.now() - 60_000
  store.exec(`INSERT INTO team_sessions (id, from_team, to_team, session_id, created_at, last_used_at)
      VALUES (${id}, 'frontend', 'team-${id}', '${sessionId}', ${now}, ${now});
    INSERT INTO turns (id, session, message, state, hop, awaited, accepted_at, dispatched_at)
      VALUES ('turn-${id}', ${id}, 'hello', 'dispatched', 0, 0, ${now}, ${now})`)
  store.close()
}

const span = (sessionId: string, more: object = {}) => ({
  traceId: 'ab'.repeat(16),
  spanId: 'cd'.repeat(8),
  name: 'claude_code.interaction',
  kind: 1,
  startTimeUnixNano: `${Date.now()}000000`,
  endTimeUnixNano: `${Date.now()}000000`,
  attributes: [
    { key: 'session.id', value: { stringValue: sessionId } },
    { key: 'user_prompt', value: { stringValue: 'a secret' } },
  ],
  ...more,
})
const request = (...spans: object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
const send = (url: string, token: string, body: string) =>
  fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
const opened = (id: number) => receiver.open({ sessionId: `session-${id}`, team: `team-${id}` })!

beforeAll(async () => {
  openDatabase(file).close()
  conversation(1, 'session-1')
  conversation(2, 'session-2')
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`
  receiver = new TelemetryReceiver({ store: file, endpoint, headers: {} }, clock, createLog({ least: () => 'error' }))
  await receiver.start()
})
afterAll(async () => {
  process.off('worker', seen)
  await receiver.close()
  collector.closeAllConnections()
  collector.close()
  directory[Symbol.dispose]()
})

test('a process writes spans of its own conversation, without texts, and of no other one', async () => {
  const { url, token } = opened(1)
  const forged = span('session-2', { name: 'claude_code.forged' })
  const foreignName = span('session-1', { name: 'invoke_agent backend' })
  expect(await send(url, token, request(span('session-1'), forged, foreignName))).toBe(200)
  await eventually(() => receiver.counts.sent === 1, 'its own span is sent')
  expect(receiver.counts.refused).toBe(2)
  expect(received.join()).toContain('"turn-1"')
  expect(received.join()).not.toMatch(/turn-2|forged|a secret|invoke_agent backend/)
})

test('without the token of a living process nothing is taken', async () => {
  const { url, token, end } = opened(2)
  const before = receiver.counts
  expect(await send(url, 'x', request(span('session-2')))).toBe(401)
  end()
  await eventually(async () => (await send(url, token, request())) === 401, 'the token has ended')
  expect(receiver.counts.sent).toBe(before.sent)
})

test('what is too long or no JSON is refused, and nested or wrong shapes are no records', async () => {
  const { url, token } = opened(2)
  expect([0, 413]).toContain(await send(url, token, 'x'.repeat(1024 * 1024 + 1)))
  expect(await send(url, token, '{')).toBe(400)
  const before = receiver.counts.refused
  const wrong = [
    { startTimeUnixNano: 'NaN' },
    { traceId: '<script>' },
    { spanId: 7 },
    { attributes: 'none' },
    { startTimeUnixNano: `${Date.now() - 90_000}000000` },
  ]
  expect(await send(url, token, request(...wrong.map((more) => span('session-2', more))))).toBe(200)
  expect(await send(url, token, JSON.stringify({ resourceSpans: { scopeSpans: 1 } }))).toBe(200)
  expect(await send(url, token, '[[[[]]]]')).toBe(200)
  expect(await send(url, token, request(span('session-2')))).toBe(200)
  await eventually(() => receiver.counts.refused >= before + wrong.length, 'they are counted')
})

test.each([
  ['an object', { valueOf: 1, toString: 1 }],
  ['a list of 100 000 levels', 'deep'],
])('%s in the place of a number is left out, and ends no thread', async (_what, value) => {
  const { url, token } = opened(2)
  const threads = workers.length
  const attributes = [...span('session-2').attributes, { key: 'duration_ms', value: { intValue: value } }]
  const name = `claude_code.after_${typeof value}`
  const body = request(span('session-2', { attributes, name }))
  expect(await send(url, token, body.replace('"deep"', '['.repeat(100_000) + ']'.repeat(100_000)))).toBe(200)
  await eventually(() => received.join().includes(name), 'the span is sent without it')
  expect(workers.length).toBe(threads)
})

test('a collector that refuses drops records with a count', async () => {
  const { url, token } = opened(1)
  const before = receiver.counts.dropped
  status = 503
  expect(await send(url, token, request(span('session-1')))).toBe(200)
  await eventually(() => receiver.counts.dropped > before, 'it is counted')
  status = 200
})

test('a flood of one process fills a quarter of the room, and leaves another process its own', async () => {
  const [flood, other] = [opened(1), opened(2)]
  const before = receiver.counts
  const much = request(...Array.from({ length: 3000 }, () => span('session-1')))
  expect(Buffer.byteLength(much)).toBeLessThan(1024 * 1024)
  const answers = await Promise.all(Array.from({ length: 16 }, () => send(flood.url, flood.token, much)))
  expect(answers).toContain(200)
  expect(await send(other.url, other.token, request(span('session-2', { name: 'claude_code.other' })))).toBe(200)
  await eventually(() => received.join().includes('claude_code.other'), 'the other process is heard')
  await eventually(() => receiver.counts.dropped > before.dropped, 'what does not fit is counted')
})

test('a thread that is killed begins again at the same port, with the same credentials, and what it counted stays', async () => {
  const { url, token } = opened(1)
  await eventually(async () => (await send(url, token, request())) === 200, 'it listens')
  const before = receiver.counts
  await workers.at(-1)!.terminate()
  expect(await send(url, token, request())).toBe(0)
  await clock.advance(1000)
  await eventually(async () => (await send(url, token, request(span('session-1')))) === 200, 'it listens again')
  await eventually(() => receiver.counts.sent > before.sent, 'and sends')
})
