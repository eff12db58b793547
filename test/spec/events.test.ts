import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { theOwner } from '../../src/kernel/call/principal.ts'
import { homePaths } from '../../src/platform/config/home.ts'
import { signInAs } from '../support/browser-login.ts'
import { callAs } from '../support/call-as.ts'
import { ask } from '../support/call-tool.ts'
import { EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { plainHttp } from '../support/plain-http.ts'
import { Installation, type Program } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'

interface Event {
  readonly cursor: string
  readonly type: string
  readonly turnId: string
  readonly from: string
}

interface Page {
  readonly events: readonly Event[]
  readonly nextCursor: string
  readonly isMore: boolean
}

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', script: obedient, teams: { backend: {}, mobile: {} } })
})
afterAll(() => iris[Symbol.asyncDispose]())

const owner = { principal: theOwner, team: undefined, parent: undefined }

async function get(query: string, token = iris.token) {
  const headers = { authorization: `Bearer ${token}` }
  const { status, body } = await plainHttp(iris.port, 'GET', `/api/events?${query}`, headers)
  return { status, said: JSON.parse(body) as Page & Readonly<Record<string, unknown>> }
}

const after = async (cursor: string, more = '') => (await get(`after=${cursor}${more}`)).said
const now = async () => (await after('now')).nextCursor
const shown = (events: readonly Pick<Event, 'type' | 'turnId'>[]) => events.map(({ type, turnId }) => [type, turnId])

/** Asks so often, one after the other. Returns the events that follow from it. */
async function asked(times: number): Promise<string[][]> {
  const events: string[][] = []
  for (let n = 0; n < times; n += 1) {
    const { turnId } = await ask(iris, 'backend', `say ${n}`)
    events.push(['turn-accepted', String(turnId)], ['turn-settled', String(turnId)])
  }
  return events
}

test('a reader with its cursor sees each event once, in order, over a restart of Iris', async () => {
  const cursor = await now()
  const before = await asked(2)
  const first = await after(cursor, '&limit=3')
  expect(first).toMatchObject({ isMore: true })
  expect(shown(first.events)).toEqual(before.slice(0, 3))
  await iris.restart()
  const later = await asked(1)
  const second = await after(first.nextCursor)
  expect(shown(second.events)).toEqual([...before.slice(3), ...later])
  expect(second).toMatchObject({ isMore: false })
  expect(second.events.at(-1)).toMatchObject({
    from: 'external',
    to: 'backend',
    thread: 'main',
    outcome: 'completed',
    durationMs: expect.any(Number),
  })
  // The place after an event is a cursor too.
  expect(shown((await after(second.events[0]!.cursor)).events)).toEqual(later)
  expect(await after(second.nextCursor)).toMatchObject({ events: [], nextCursor: second.nextCursor })
})

test('a reader of the stream that comes back after a restart gets what it missed, once, and in order', async () => {
  const reader = await EventStream.open(iris)
  await reader.next('snapshot')
  const [first] = await asked(1)
  const { id } = await reader.next('turn-accepted', ({ turnId }) => turnId === first![1])
  await reader[Symbol.asyncDispose]()
  expect(id).toMatch(/^\w+-\d+\.\d+$/)
  const missed = await asked(1)
  await iris.restart()
  const later = await asked(1)
  await using again = await EventStream.open(iris, '', id)
  const kept = again.received
  await again.next('snapshot')
  const live = await asked(1)
  await again.next('turn-settled', ({ turnId }) => turnId === live[0]![1])
  const events = kept
    .filter(({ type }) => type === 'turn-accepted' || type === 'turn-settled')
    .map(({ type, data }) => [type, data['turnId']])
  expect(events).toEqual([['turn-settled', first![1]], ...missed, ...later, ...live])
  expect(kept[0]).toMatchObject({ type: 'gap', data: { gap: true } })
  // A page that shows how things stand has no use for them.
  await using page = await EventStream.open(iris, '?kept=false', id)
  await page.next('snapshot')
  expect(page.received.map(({ type }) => type)).toEqual(['snapshot'])
})

test('the chat page gets of what it missed the events of its own person', async () => {
  const headers = { cookie: await signInAs(iris, 'ana'), origin: `http://127.0.0.1:${iris.port}` }
  const cursor = await now()
  await asked(1)
  const told = JSON.stringify({ team: 'backend', conversation: 'c', message: 'say x' })
  const typed = { ...headers, 'content-type': 'application/json' }
  const sent = await plainHttp(iris.port, 'POST', '/api/viewer/messages', typed, told)
  const { turnId } = JSON.parse(sent.body)
  const events = [
    ['turn-accepted', turnId],
    ['turn-settled', turnId],
  ]
  const isOver = async () => (await after(cursor, '&type=turn-settled')).events.some((each) => each.turnId === turnId)
  await eventually(isOver, 'it is answered')
  const address = `http://127.0.0.1:${iris.port}/api/viewer/stream`
  await using stream = await EventStream.at(address, { ...headers, 'last-event-id': cursor })
  await stream.next('turn-settled')
  const turns = stream.received.filter(({ type }) => type === 'turn-accepted' || type === 'turn-settled')
  expect(turns.map(({ type, data }) => [type, data['turnId']])).toEqual(events)
})

test('a call with a timeout waits for the next event', async () => {
  const cursor = await now()
  const waiting = after(cursor, '&timeout=60000&type=turn-settled')
  const [, settled] = await asked(1)
  expect(shown((await waiting).events)).toEqual([settled])
})

test('events are found by their type and their team; questions of agents are for the owner', async () => {
  const cursor = await now()
  const all = await asked(1)
  const { turnId } = await ask(iris, 'mobile', 'say x')
  const ofMobile = [
    ['turn-accepted', turnId],
    ['turn-settled', turnId],
  ]
  expect(shown((await after(cursor, '&team=mobile')).events)).toEqual(ofMobile)
  expect(shown((await after(cursor, '&type=turn-settled')).events)).toEqual([all[1], ofMobile[1]])
  expect(shown((await after(cursor, '&type=turn-settled&type=turn-accepted')).events)).toHaveLength(4)
  expect((await after(cursor, '&team=nobody')).events).toEqual([])
  iris.daemon.parts.ledger.journal.add({ at: 0, type: 'permission:request', turn: String(turnId), question: 'q' })
  expect((await after(cursor, '&type=permission:request')).events).toEqual([])
  const theirs = await callAs(owner, iris, 'list_events', { after: cursor, type: 'permission:request' })
  expect(theirs['events']).toMatchObject([{ turnId }])
  const printed = await runCommand(iris.world, ['events', '--type', 'permission:request'])
  expect(printed.stdout).toMatch(/permission:request +\w{8} +\S+→mobile/)
})

test('a program with a token of its own sees what became of its own messages', async () => {
  const { token } = await callAs(owner, iris, 'create_token', { program: 'ci', teams: ['backend'] })
  const cursor = await now()
  await asked(1)
  const { turnId } = await ask({ port: iris.port, token: String(token) }, 'backend', 'say x')
  const { status, said } = await get(`after=${cursor}`, String(token))
  expect(status).toBe(200)
  expect(shown(said.events)).toEqual([
    ['turn-accepted', turnId],
    ['turn-settled', turnId],
  ])
  expect(said.events.map(({ from }) => from)).toEqual(['program:ci', 'program:ci'])
})

test('a rebuilt store has the events of its turns, each once', async () => {
  const cursor = await now()
  const events = await asked(2)
  await iris.daemon.stop(0)
  iris.change(`DELETE FROM journal WHERE sequence > ${cursor.split('-')[1]}`)
  writeFileSync(join(iris.world.home, 'data/team-sessions.db.damaged'), 'a page is wrong\n')
  await iris.restart()
  await iris.daemon.recovered
  await iris.event('store-rebuilt')
  expect(shown((await after(cursor)).events)).toEqual(events)
})

test('after the store is put back to a backup, a later cursor is refused with 410 and the first one to read from', async () => {
  const { storeMemory } = homePaths(iris.world.home)
  const store = join(iris.world.home, 'data/team-sessions.db')
  await asked(1)
  const common = await now()
  await iris.daemon.stop(0)
  for (const file of [store, storeMemory]) copyFileSync(file, `${file}.backup`)
  await iris.restart()
  await asked(2)
  const lost = await now()
  await iris.daemon.stop(0)
  for (const file of [store, storeMemory]) copyFileSync(`${file}.backup`, file)
  await iris.restart()
  const later = await asked(3)
  const { status, said } = await get(`after=${lost}`)
  expect(status).toBe(410)
  expect(said).toMatchObject({ code: 'cursor_unknown', firstCursor: expect.any(String), remedy: expect.any(String) })
  expect(await runCommand(iris.world, ['events', '--cursor', lost])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`kept: iris events --cursor ${said['firstCursor']}\n`),
  })
  expect((await get(`after=${said['firstCursor']}`)).status).toBe(200)
  expect(shown((await after(common)).events)).toEqual(later)
  await using stream = await EventStream.open(iris, '', `${lost}.1`)
  expect(await stream.next('gap')).toMatchObject({ data: { gap: true, first: said['firstCursor'] } })
  expect((await get('after=nonsense')).status).toBe(410)
})

test('kill -9 of the reader and of the daemon: a reader that goes on from its last cursor has each event once, in order', async () => {
  await using installation = await Installation.create({ claude: 'fake', script: obedient, teams: ['backend'] })
  const endpoint = () => ({ port: installation.daemon()!.port, token: installation.world.token() })
  const expected: string[][] = []
  const tell = async (text: string) => {
    const { turnId } = await ask(endpoint(), 'backend', `say ${text}`)
    expected.push(['turn-accepted', turnId], ['turn-settled', turnId])
  }
  const printed = ({ stdout }: Program): Event[] =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const prints = (program: Program, count: number) =>
    eventually(() => printed(program).length >= count, `${count} events are printed`)
  const daemon = await installation.startDaemon()
  await tell('one')
  const first = installation.start(['events', '-f', '--json', '--after', await begin(endpoint())])
  await tell('two')
  await prints(first, 2)
  first.child.kill('SIGKILL')
  await first.ended
  const { cursor } = printed(first).at(-1)!
  await tell('three')
  daemon.child.kill('SIGKILL')
  await daemon.ended
  const next = await installation.startDaemon()
  await tell('four')
  const second = installation.start(['events', '-f', '--json', '--after', cursor])
  await prints(second, 4)
  next.child.kill('SIGKILL')
  await next.ended
  // The reader starts the next one, or this command does.
  const { stdout } = await installation.run(['tell', 'backend', 'say five', '--json'])
  const { turnId } = JSON.parse(stdout)
  expected.push(['turn-accepted', turnId], ['turn-settled', turnId])
  await prints(second, 6)
  expect(shown([...printed(first), ...printed(second)])).toEqual(expected.slice(2))
  // The stream has the same for an id of two starts ago.
  await using stream = await EventStream.open(endpoint(), '', cursor)
  await stream.next('snapshot')
  const resumed = stream.received.filter(({ type }) => type === 'turn-accepted' || type === 'turn-settled')
  expect(resumed.map(({ type, data }) => [type, data['turnId']])).toEqual(expected.slice(4))
  expect(stream.received[0]).toMatchObject({ type: 'gap' })
})

/** The place of now. */
async function begin({ port, token }: { port: number; token: string }): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  return JSON.parse((await plainHttp(port, 'GET', '/api/events?after=now', headers)).body).nextCursor
}
