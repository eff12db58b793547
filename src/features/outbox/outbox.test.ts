import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { newSecret, OutboxWorld, oldSecret } from '../../../test/support/outbox-world.ts'
import { type Respond, standardSignature, type Taken, WebhookEndpoint } from '../../../test/support/webhook-endpoint.ts'
import { attempt } from '../../base/lib/attempt.ts'
import type { CallbackConfig } from '../../platform/config/config.ts'
import { list } from './handlers.ts'
import { OutboxRows } from './rows.ts'

const hourMs = 3_600_000
const ok: Respond = (response) => response.writeHead(204).end()
const status =
  (code: number, headers = {}): Respond =>
  (response) =>
    response.writeHead(code, headers).end()

type Data = { sequence: number; turnId: string; thread: string } & Readonly<Record<string, unknown>>
const dataOf = ({ body }: Taken): Data => JSON.parse(body).data
const idOf = ({ headers }: Taken): string => String(headers['webhook-id'])

async function opened(respond: Respond = ok, more: Partial<CallbackConfig> = {}) {
  const world = new OutboxWorld(attempt)
  const endpoint = await WebhookEndpoint.start(respond)
  onTestFinished(() => endpoint[Symbol.asyncDispose]())
  world.callback(endpoint.url, more)
  world.outbox.begin()
  return { world, endpoint }
}

const taken = (endpoint: WebhookEndpoint, count: number) =>
  eventually(() => endpoint.taken.length >= count, `${count} posts`)
const empty = (world: OutboxWorld) => eventually(() => world.row().waiting === 0, 'nothing waits')

test('an event is posted once, signed by each secret, with what came with the message', async () => {
  const { world, endpoint } = await opened(ok, { secretFile: ['old', 'new'], include: 'answer' })
  world.ends(1, { callback: null })
  const turnId = world.ends(1, { answer: 'x'.repeat(70_000) })
  await taken(endpoint, 1)
  await empty(world)
  const [{ headers, body }] = endpoint.taken as [Taken]
  const [id, time] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])]
  const signatures = [oldSecret, newSecret].map((secret) => standardSignature(secret, id, time, body))
  expect(headers['webhook-signature']).toBe(signatures.join(' '))
  expect(id).toMatch(/^\w+-2$/)
  const { data, ...event } = JSON.parse(body)
  expect(event).toEqual({ type: 'turn-settled', timestamp: '1970-01-01T00:00:00.000Z' })
  expect(data).toMatchObject({
    sequence: 2,
    turnId,
    from: 'program:ci',
    to: 'backend',
    thread: 'main',
    status: 'completed',
    reason: null,
    metadata: { build: 7 },
    isCut: true,
    response: 'x'.repeat(65_536),
  })
  world.restart()
  world.ends()
  await taken(endpoint, 2)
  expect(endpoint.taken.map((each) => dataOf(each).sequence)).toEqual([2, 3])
})

test('thin events hold no answer', async () => {
  const { world, endpoint } = await opened()
  world.ends(1, { answer: 'the secret plan' })
  await taken(endpoint, 1)
  expect(endpoint.taken[0]!.body).not.toContain('plan')
})

test('what fails is tried again under its id, signed with the time of the try, and holds up nothing behind it', async () => {
  let poisoned = 'turn-1'
  const { world, endpoint } = await opened((response, each) =>
    status(dataOf(each).turnId === poisoned ? 500 : 204)(response, each, 0),
  )
  for (let count = 0; count < 20; count++) world.ends(1)
  await taken(endpoint, 20)
  await eventually(() => world.row().waiting === 1, 'only the poisoned one waits')
  expect(endpoint.taken.map((each) => dataOf(each).turnId)).toEqual(
    Array.from({ length: 20 }, (_, at) => `turn-${at + 1}`),
  )
  expect(world.row()).toMatchObject({ isFailing: false, problem: 'it answered with the HTTP status 500' })
  const nextTryAt = world.clock.now() + 5000
  const { callbacks } = list({ outbox: world.outbox } as never)
  expect(callbacks).toMatchObject([{ callback: 'ci', nextTryAt }])
  await world.pass(5000, () => endpoint.taken.length === 21, 'its second try')
  poisoned = ''
  await world.pass(15_000, () => world.row().waiting === 0, 'it is taken')
  const tries = endpoint.taken.filter((each) => dataOf(each).turnId === 'turn-1')
  expect(new Set(tries.map(idOf)).size).toBe(1)
  const times = tries.map(({ headers }) => Number(headers['webhook-timestamp']))
  expect(times.toSorted((a, b) => a - b)).toEqual([...new Set(times)])
})

test('rows of one conversation are begun one after the other, and others beside them', async () => {
  const open: (() => void)[] = []
  const { world, endpoint } = await opened((response) => open.push(() => response.writeHead(204).end()))
  world.ends(1)
  world.ends(1)
  world.ends(2)
  await taken(endpoint, 2)
  expect(endpoint.taken.map((each) => dataOf(each).turnId).toSorted()).toEqual(['turn-1', 'turn-3'])
  for (const answer of open.splice(0)) answer()
  await taken(endpoint, 3)
  expect(dataOf(endpoint.taken[2]!).turnId).toBe('turn-2')
  for (const answer of open) answer()
  await empty(world)
})

test('an endpoint that hangs has 30 seconds', async () => {
  let answers = false
  const { world, endpoint } = await opened((response) => answers && response.writeHead(204).end())
  world.ends(1)
  await taken(endpoint, 1)
  await world.clock.advance(29_000)
  expect(world.row().problem).toBeUndefined()
  answers = true
  await world.pass(1000, () => world.row().problem === 'it did not answer within 30000 ms', 'the limit')
  await world.pass(5000, () => world.row().waiting === 0, 'it is taken')
})

test('an endpoint that breaks off in the middle has not taken the event', async () => {
  let dies = true
  const { world, endpoint } = await opened((response) => {
    if (!dies) response.writeHead(204).end()
    else response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy())
  })
  world.ends(1)
  await eventually(() => world.row().problem?.startsWith('it could not be reached'), 'it failed')
  dies = false
  await world.pass(5000, () => world.row().waiting === 0, 'it is taken')
  expect(endpoint.taken.length).toBe(2)
})

test('a redirect is not followed', async () => {
  const other = await WebhookEndpoint.start()
  onTestFinished(() => other[Symbol.asyncDispose]())
  const { world, endpoint } = await opened(status(307, { location: other.url }))
  world.ends(1)
  await taken(endpoint, 1)
  await eventually(() => world.row().problem === 'it answered with the HTTP status 307', 'it failed')
  expect(other.taken).toEqual([])
})

test('Retry-After is honoured, in seconds and as a date', async () => {
  let header = '600'
  const { world, endpoint } = await opened((response, _, attempt) =>
    attempt > 2 ? response.writeHead(204).end() : response.writeHead(503, { 'retry-after': header }).end(),
  )
  world.ends(1)
  await eventually(() => world.row().problem !== undefined, 'the first try')
  await world.clock.advance(599_000)
  expect(endpoint.taken.length).toBe(1)
  header = new Date(3_000_000).toUTCString()
  await world.pass(1000, () => endpoint.taken.length === 2, 'the second try')
  expect(world.clock.now()).toBeGreaterThanOrEqual(600_000)
  await world.pass(60_000, () => endpoint.taken.length === 3, 'the third try')
  expect(world.clock.now()).toBeGreaterThanOrEqual(3_000_000)
})

test('after three days an event is given up, and its owner learns that; switched on, it is tried once more', async () => {
  let code = 500
  const { world, endpoint } = await opened((response) => response.writeHead(code).end())
  const turnId = world.ends(1)
  await eventually(() => world.row().problem !== undefined, 'the first try')
  world.store.exec(`UPDATE callback_deliveries SET failed_at = ${-72 * hourMs}`)
  await world.pass(5000, () => world.row().failed === 1, 'it is given up')
  expect(endpoint.taken.length).toBe(2)
  await world.clock.advance(hourMs)
  expect(endpoint.taken.length).toBe(2)
  expect(world.gaveUp).toEqual([turnId])
  expect(new OutboxRows(world.store).undelivered(10)).toMatchObject([{ turn: turnId, sessionId: 's1' }])
  code = 204
  world.outbox.queueOf('ci').enable()
  await eventually(() => world.row().failed === 0 && world.row().waiting === 0, 'it is taken')
})

test('410 switches the callback off until it is switched on, also over a restart; nothing is lost', async () => {
  let code = 410
  const { world, endpoint } = await opened((response) => response.writeHead(code).end())
  world.ends(1)
  await eventually(() => world.row().offAt !== null, 'it is off')
  world.ends(1)
  world.restart()
  world.ends(2)
  await world.clock.advance(hourMs)
  expect(endpoint.taken.length).toBe(1)
  expect(world.gaveUp).toEqual(['turn-1'])
  code = 204
  world.outbox.queueOf('ci').enable()
  await world.pass(1000, () => endpoint.taken.length === 4, 'all three')
  await empty(world)
  expect(world.row().offAt).toBeNull()
})

test('after five failures in a row one event is tried at a time, and all others once one is taken', async () => {
  let code = 500
  let [busy, most] = [0, 0]
  const { world, endpoint } = await opened((response) => {
    busy += 1
    most = Math.max(most, busy)
    setImmediate(() => {
      busy -= 1
      response.writeHead(code).end()
    })
  })
  for (let count = 0; count < 30; count++) world.ends(1 + (count % 2))
  await eventually(() => world.row().isFailing, 'it fails')
  const before = endpoint.taken.length
  expect(before).toBeLessThan(10)
  most = busy
  await world.pass(30_000, () => endpoint.taken.length >= before + 5, 'five tries more')
  expect(most).toBeLessThanOrEqual(1)
  expect(world.row().waiting).toBe(30)
  expect(world.row().nextTryAt).toBeGreaterThan(world.clock.now())
  code = 204
  await world.pass(30_000, () => world.row().waiting === 0, 'all are taken')
  expect(new Set(endpoint.taken.map(idOf)).size).toBe(30)
  expect(world.row().nextTryAt).toBeUndefined()
})

test.each([
  ['between the end and the post', async () => {}],
  ['while the post runs', async ({ endpoint }: { endpoint: WebhookEndpoint }) => taken(endpoint, 1)],
])('a daemon that is killed %s posts the event after its start', async (_when, until) => {
  const held: Respond = () => {}
  let respond = held
  const { world, endpoint } = await opened((...of) => respond(...of))
  const turnId = world.ends(1)
  await until({ endpoint })
  respond = ok
  world.restart()
  await eventually(() => world.row().waiting === 0 && endpoint.taken.length > 0, 'it is taken')
  expect(new Set(endpoint.taken.map((each) => dataOf(each).turnId))).toEqual(new Set([turnId]))
  expect(new Set(endpoint.taken.map(idOf)).size).toBe(1)
})

test('while the store takes nothing, no further event is posted, and none twice when it does', async () => {
  let isFull = true
  const { world, endpoint } = await opened((response) => {
    if (isFull) world.store.exec('PRAGMA query_only = ON')
    response.writeHead(204).end()
  })
  for (let count = 0; count < 12; count++) world.ends(1)
  await eventually(() => world.warned.some((said) => said.includes('wait for the store')), 'the store takes nothing')
  await world.clock.advance(60_000)
  expect(endpoint.taken.length).toBe(1)
  isFull = false
  world.store.exec('PRAGMA query_only = OFF')
  await world.clock.advance(30_000)
  await taken(endpoint, 12)
  await empty(world)
  expect(endpoint.taken.map((each) => dataOf(each).turnId)).toEqual(
    Array.from({ length: 12 }, (_, at) => `turn-${at + 1}`),
  )
})

test('a rebuilt store that lost rows gives their numbers again, and what happens then is posted', async () => {
  const { world, endpoint } = await opened()
  for (let count = 0; count < 3; count++) world.ends(1)
  await taken(endpoint, 3)
  await empty(world)
  world.store.exec('DELETE FROM journal')
  world.restart()
  world.ends(1)
  await taken(endpoint, 4)
  expect(dataOf(endpoint.taken[3]!).sequence).toBe(1)
  // Another start of the daemon wrote it, so a receiver that drops equal ids takes it.
  expect(new Set(endpoint.taken.map(idOf)).size).toBe(4)
})

test('many rows for nobody are passed without a commit for each', async () => {
  const { world, endpoint } = await opened()
  world.ledger.written(() => {
    for (let count = 0; count < 450; count++) world.ends(1, { callback: null })
  })
  const turnId = world.ends(1)
  await taken(endpoint, 1)
  await empty(world)
  expect(dataOf(endpoint.taken[0]!).turnId).toBe(turnId)
  expect(new OutboxRows(world.store).cursor('ci').sequence).toBe(451)
})

test('a replay posts events again under their ids', async () => {
  const { world, endpoint } = await opened()
  for (let count = 0; count < 3; count++) world.ends(1)
  await taken(endpoint, 3)
  await empty(world)
  world.outbox.queueOf('ci').replay(1)
  await taken(endpoint, 5)
  await empty(world)
  expect(endpoint.taken.map(idOf).slice(3)).toEqual(endpoint.taken.map(idOf).slice(1, 3))
})

test('a name that leads into a private network gets no byte, unless its callback says so', async () => {
  const { world, endpoint } = await opened()
  world.names = { 'hooks.example': ['93.184.215.14', '127.0.0.1'] }
  world.callback(`https://hooks.example:${endpoint.port}/`, { name: 'named' })
  world.ends(1, { callback: 'named' })
  const refused = 'its name resolves to a private network, which only "private: true" allows'
  await eventually(() => world.row('named').problem === refused, 'it is refused')
  expect(endpoint.taken).toEqual([])
  // With the word it is tried, and the receiver speaks no TLS.
  world.names = { 'hooks.example': ['127.0.0.1'] }
  world.callback(`https://hooks.example:${endpoint.port}/`, { name: 'named', private: true })
  await world.pass(5000, () => world.row('named').problem !== refused, 'it is tried')
  expect(world.row('named').problem).toMatch(/^it could not be reached/)
})

test('a secret that others can read signs nothing', async () => {
  const { world, endpoint } = await opened()
  writeFileSync(join(world.home, 'open'), newSecret, { mode: 0o644 })
  world.callback(endpoint.url, { secretFile: 'open' })
  world.ends(1)
  await eventually(() => world.row().problem?.includes('others can read'), 'it is refused')
  expect(endpoint.taken).toEqual([])
})
