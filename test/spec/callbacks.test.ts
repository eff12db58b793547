import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperationName } from '../../src/features/contracts.ts'
import { agentOf, theOwner } from '../../src/kernel/call/principal.ts'
import { callAs } from '../support/call-as.ts'
import { ask, refusal } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { obedient } from '../support/obedient.ts'
import { plainHttp } from '../support/plain-http.ts'
import { runCommand } from '../support/run-command.ts'
import { type Respond, type Taken, WebhookEndpoint } from '../support/webhook-endpoint.ts'
import { createWorld, type World } from '../support/world.ts'

const secret = 'known to Iris and to this receiver alone'
const open = { grantPermission: 'yes', dangerous: true, isolation: 'none' }
const teams = { frontend: open, backend: open }
const ok: Respond = (response) => response.writeHead(204).end()

type Event = { type: string; data: Readonly<Record<string, unknown>> }
const eventOf = ({ body }: Taken): Event => JSON.parse(body)
const idOf = ({ headers }: Taken): string => String(headers['webhook-id'])

/** The callbacks section of config.yaml. */
function callbacksOf(world: World, url: string, more: object = {}) {
  writeFileSync(join(world.home, 'ci.secret'), secret, { mode: 0o600 })
  return { callbacks: { ci: { url, secretFile: 'ci.secret', include: 'answer', ...more } } }
}

let respond: Respond = ok
let endpoint: WebhookEndpoint
let iris: TestIris
beforeAll(async () => {
  endpoint = await WebhookEndpoint.start((...reply) => respond(...reply))
  iris = await TestIris.start({ claude: 'fake', script: obedient, teams })
  const events = ['turn-accepted', 'turn-settled']
  const other = { url: endpoint.url, secretFile: 'ci.secret', teams: ['frontend'] }
  const { callbacks } = callbacksOf(iris.world, endpoint.url, { events })
  iris.world.writeConfig({ callbacks: { ...callbacks, other } })
  await iris.restart()
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await endpoint[Symbol.asyncDispose]()
})

const owner = { principal: theOwner, team: undefined, parent: undefined }
const asOwner = (name: OperationName, input: object = {}) => callAs(owner, iris, name, input)

async function made(program: string, more: object = {}) {
  const { token } = await asOwner('create_token', { program, teams: ['backend'], ...more })
  return { port: iris.port, token: String(token) }
}

test('a program is told when its message is accepted and how it ended, and gets back what it gave', async () => {
  const ci = await made('ci', { callbacks: ['ci', 'other'] })
  const metadata = { build: 7, url: 'https://ci.example/7' }
  const { turnId } = await ask(ci, 'backend', 'say good day', { callback: 'ci', metadata })
  const of = () => endpoint.taken.filter((each) => eventOf(each).data['turnId'] === turnId)
  await eventually(() => of().length === 2, 'both events')
  const [first, last] = of().map(eventOf) as [Event, Event]
  const pair = { from: 'program:ci', to: 'backend', thread: 'main', metadata }
  expect(first).toMatchObject({ type: 'turn-accepted', data: { ...pair, status: 'accepted' } })
  expect(last).toMatchObject({
    type: 'turn-settled',
    data: { ...pair, status: 'completed', reason: null, response: 'good day', isCut: false },
  })
  expect(Number(last.data['sequence'])).toBeGreaterThan(Number(first.data['sequence']))
  const { callbacks } = await asOwner('list_callbacks')
  const [state] = callbacks as object[]
  expect(state).toMatchObject({ callback: 'ci', host: endpoint.host, waiting: 0, failed: 0, isFailing: false })
  expect(JSON.stringify(callbacks)).not.toContain('T0SECRET')
  const metrics = await plainHttp(iris.port, 'GET', '/metrics', { authorization: `Bearer ${iris.world.owner()}` })
  expect(metrics.body).toMatch(/iris_callback_deliveries_total\{callback="ci",result="taken"\} \d/)
})

test('an ask names only a callback that its token names; agents name none', async () => {
  const none = await made('none')
  const some = await made('some', { callbacks: ['ci', 'other'] })
  const refused = async (at: Parameters<typeof ask>[0], more: object) =>
    (await refusal(at, 'send_message', { toTeam: 'backend', message: 'say x', ...more })).code
  expect(await refused(none, { callback: 'ci' })).toBe('not_allowed')
  expect(await refused(some, { callback: 'nobody' })).toBe('not_allowed')
  // The callback is for messages to another team.
  expect(await refused(some, { callback: 'other' })).toBe('not_allowed')
  expect(await refused(some, { callback: 'ci', whenBusy: 'steer' })).toBe('invalid_input')
  expect(await refused(some, { callback: 'ci', metadata: { long: 'x'.repeat(2048) } })).toBe('invalid_input')
  const agent = { principal: agentOf('frontend'), team: 'frontend', parent: undefined }
  const asked = callAs(agent, iris, 'send_message', { toTeam: 'backend', message: 'say x', callback: 'ci' })
  await expect(asked).rejects.toMatchObject({ code: 'not_allowed' })
  const unknown = asOwner('create_token', { program: 'lost', teams: ['backend'], callbacks: 'nobody' })
  await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
})

test('in a terminal callbacks are tested, replayed and switched on', async () => {
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runCommand(iris.world, words)
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  respond = (response) => response.writeHead(503).end()
  expect(await runCommand(iris.world, ['callbacks', 'test', 'ci'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('ci did not accept it'),
  })
  respond = ok
  expect(await run('callbacks', 'test', 'ci')).toBe('ci accepted it: HTTP status 204.\n')
  expect(eventOf(endpoint.taken.at(-1)!)).toMatchObject({ type: 'callback-test', data: { callback: 'ci' } })
  await ask(iris, 'backend', 'say again', { callback: 'ci' })
  await eventually(() => endpoint.taken.some((each) => eventOf(each).data['response'] === 'again'), 'the event')
  const id = idOf(endpoint.taken.find((each) => eventOf(each).data['response'] === 'again')!)
  await run('callbacks', 'replay', 'ci', '--since', '1h')
  await eventually(() => endpoint.taken.filter((each) => idOf(each) === id).length === 2, 'it came again')
  respond = (response) => response.writeHead(410).end()
  await ask(iris, 'backend', 'say gone', { callback: 'ci' })
  await eventually(async () => (await run('callbacks', 'list')).includes('its endpoint answered 410'), 'it is off')
  const { rows } = (await asOwner('list_inbox')) as unknown as { rows: { items: { kind: string; text?: string }[] }[] }
  const said = rows.flatMap(({ items }) => items).filter(({ kind }) => kind === 'undelivered')
  expect(said).toMatchObject([{ text: 'ci: it answered with the HTTP status 410' }])
  respond = ok
  await run('callbacks', 'enable', 'ci')
  await eventually(() => endpoint.taken.some((each) => eventOf(each).data['response'] === 'gone'), 'the event')
})

test('a daemon that is killed between the end and the post makes the post after its start', async () => {
  await using world = await createWorld({ claude: 'fake', script: obedient, teams })
  const taken: Taken[] = []
  await using receiver = await WebhookEndpoint.start((response, each) => {
    taken.push(each)
    response.writeHead(204).end()
  })
  world.writeConfig(callbacksOf(world, receiver.url))
  await using first = await DaemonProcess.start(world, 'settled')
  await ask(first, 'backend', 'say it', { callback: 'ci', timeout: -1 }).catch(() => undefined)
  expect(await first.exited).toBe('SIGKILL')
  expect(taken).toEqual([])
  await using second = await nextDaemon(world)
  await eventually(() => taken.length > 0, 'the event')
  expect(eventOf(taken[0]!)).toMatchObject({ type: 'turn-settled', data: { response: 'it' } })
  await second[Symbol.asyncDispose]()
})
