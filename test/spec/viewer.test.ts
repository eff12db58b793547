import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { splitRoute } from '../../src/adapters/http/api/operations.ts'
import type { Script } from '../../src/app/demo/script.ts'
import type { Operation } from '../../src/base/operation/operation.ts'
import { contracts, type OperationName, operationNames } from '../../src/features/contracts.ts'
import { signIn, signInAs } from '../support/browser-login.ts'
import { ask } from '../support/call-tool.ts'
import { EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { plainHttp } from '../support/plain-http.ts'

const host = 'iris.example.org'
const gate = Promise.withResolvers<void>()
/** Holds the second half of an answer. */
const second = Promise.withResolvers<void>()
async function* inTwo(): AsyncIterable<string> {
  yield 'parasol '
  await second.promise
  yield 'and cane'
}
const script: Script = async (asked) => {
  const [, said = ''] = /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(asked.conversation.lastUserText) ?? []
  if (said === 'wait') await gate.promise
  if (said === 'slowly') return { stream: inTwo() }
  if (said === 'break') return { error: { status: 400, type: 'invalid_request_error', message: 'at /srv/hidden' } }
  return obedient({
    ...asked,
    conversation: { ...asked.conversation, lastUserText: said || asked.conversation.lastUserText },
  })
}

const reader = { teams: ['backend'] }

let iris: TestIris
/** Cookies. */
let ana: string
let bo: string
let owner: string
beforeAll(async () => {
  const open = { grantPermission: 'yes', dangerous: true, isolation: 'none' }
  iris = await TestIris.start({
    claude: 'fake',
    script,
    settings: { publicUrl: `https://${host}` },
    teams: { backend: { ...open, description: 'The shop' }, attacker: open },
  })
  iris.world.writeConfig({ roles: { reader, gone: reader } })
  await iris.restart()
  ana = await signInAs(iris, 'ana')
  bo = await signInAs(iris, 'bo', 'reader')
  owner = await signIn(iris)
})
afterAll(async () => {
  gate.resolve()
  second.resolve()
  await iris[Symbol.asyncDispose]()
})

const fromPage = (cookie: string) => ({
  cookie,
  origin: `http://127.0.0.1:${iris.port}`,
  'content-type': 'application/json',
})
const get = (cookie: string, path: string) => plainHttp(iris.port, 'GET', path, { cookie })
const post = (cookie: string, path: string, body: object) =>
  plainHttp(iris.port, 'POST', path, fromPage(cookie), JSON.stringify(body))
const overview = async (cookie: string) => JSON.parse((await get(cookie, '/api/viewer')).body)
const turnsIn = async (cookie: string, conversation: string, team = 'backend') =>
  JSON.parse((await get(cookie, `/api/viewer/messages?team=${team}&conversation=${conversation}`)).body).turns
const send = (cookie: string, conversation: string, message: string, more: object = {}) =>
  post(cookie, '/api/viewer/messages', { team: 'backend', conversation, message, ...more })

/** Sends a message and waits for its end. */
async function asked(cookie: string, conversation: string, message: string) {
  const sent = await send(cookie, conversation, message)
  expect(sent).toMatchObject({ status: 200 })
  const { turnId } = JSON.parse(sent.body)
  return eventually(async () => {
    const turns: { turnId: string; status: string }[] = await turnsIn(cookie, conversation)
    return turns.find((turn) => turn.turnId === turnId && !['queued', 'working'].includes(turn.status))
  }, `${message} is answered`)
}

test('a person chats with the rights of the role of the login', async () => {
  expect(await overview(ana)).toMatchObject({
    name: 'ana',
    role: 'chat_bot',
    isOwner: false,
    conversations: [],
    teams: [{ name: 'backend', description: 'The shop' }, { name: 'attacker' }],
  })
  expect(await asked(ana, 'first', 'say good day')).toMatchObject({ status: 'completed', text: 'good day' })
  await asked(ana, 'first', `run touch ${join(iris.world.root, 'stranger')}`)
  expect(existsSync(join(iris.world.root, 'stranger'))).toBe(false)
  expect(iris.rows("SELECT from_team AS 'from', thread FROM team_sessions")).toEqual([
    { from: 'viewer:ana', thread: 'role:chat_bot:first' },
  ])
  const [conversation, none] = (await overview(ana)).conversations
  expect(conversation).toMatchObject({
    team: 'backend',
    conversation: 'first',
    title: 'say good day',
    isWorking: false,
  })
  expect(none).toBeUndefined()
})

test('the owner chats with all rights of the team', async () => {
  const ran = join(iris.world.root, 'owner')
  const answered = await asked(owner, 'first', `run touch ${ran}`)
  expect(answered).toMatchObject({ status: 'completed', tools: [{ name: 'Bash', isError: false }] })
  expect(existsSync(ran)).toBe(true)
  expect(await overview(owner)).toMatchObject({ name: 'owner', role: 'os_agent', isOwner: true })
})

test('each sees and stops only what is of that name and role, in lists, pages, search and the stream', async () => {
  const { turnId } = (await asked(ana, 'secret', 'say umbrella')) as { turnId: string }
  const anaWithMore = await signInAs(iris, 'ana', 'os_agent')
  const address = `http://127.0.0.1:${iris.port}/api/viewer/stream`
  await using hers = await EventStream.at(address, { cookie: ana })
  await using other = await EventStream.at(address, { cookie: bo })
  await using owners = await EventStream.at(address, { cookie: owner })
  await Promise.all([hers, other, owners].map((stream) => stream.next('snapshot')))
  const again = JSON.parse((await send(ana, 'secret', 'slowly')).body)
  await hers.next('turn-text', ({ text }) => String(text).includes('parasol'))
  expect(await turnsIn(ana, 'secret')).toMatchObject([{ status: 'completed' }, { status: 'working' }])
  // A reader who comes late gets the whole text, if it is his.
  await using late = await EventStream.at(address, { cookie: ana })
  await using others = await EventStream.at(address, { cookie: owner })
  expect(JSON.stringify(await late.next('snapshot'))).toContain('parasol')
  expect((await others.next('snapshot')).data).toEqual({ turns: [] })
  second.resolve()
  await hers.next('turn-settled', (event) => event['turnId'] === again.turnId)
  // What comes later shows that nothing came before.
  const own = (await asked(bo, 'b', 'say own')) as { turnId: string }
  await other.next('turn-settled', (event) => event['turnId'] === own.turnId)
  const seen = await asked(owner, 'o', 'say own')
  await owners.next('turn-settled', (event) => event['turnId'] === (seen as { turnId: string }).turnId)
  for (const stream of [other, owners, others]) expect(JSON.stringify(stream.received)).not.toContain('viewer:ana')
  expect(hers.received.map(({ type }) => type)).not.toContain('turn-message')

  for (const cookie of [bo, owner, anaWithMore]) {
    expect(await turnsIn(cookie, 'secret')).toEqual([])
    expect(JSON.stringify(await overview(cookie))).not.toContain('secret')
    const found = await get(cookie, '/api/viewer/search?query=umbrella')
    expect(JSON.parse(found.body).hits).toEqual([])
    const stopped = await post(cookie, '/api/viewer/stop', { turnId })
    const unknown = await post(cookie, '/api/viewer/stop', { turnId: turnId.replace(/^.{8}/, '00000000') })
    expect([stopped.status, unknown.status]).toEqual([404, 404])
    expect(JSON.parse(stopped.body).detail.replace(turnId, '')).toBe(
      JSON.parse(unknown.body).detail.replace(/00000000[\w-]*/, ''),
    )
  }
  const found = await eventually(async () => {
    const { hits } = JSON.parse((await get(ana, '/api/viewer/search?query=umbrella')).body)
    return hits.length > 0 && hits
  }, 'it is found')
  expect(found[0]).toMatchObject({ team: 'backend', conversation: 'secret' })
})

test('why a message failed and what it used stays with the owner', async () => {
  await using hers = await EventStream.at(`http://127.0.0.1:${iris.port}/api/viewer/stream`, { cookie: ana })
  await hers.next('snapshot')
  const { turnId, ...turn } = await asked(ana, 'broken', 'break')
  expect(turn).toMatchObject({ status: 'failed' })
  expect(JSON.stringify(turn)).not.toContain('hidden')
  const { data } = await hers.next('turn-settled', (event) => event['turnId'] === turnId)
  expect(Object.keys(data).toSorted()).toEqual(['at', 'sequence', 'thread', 'to', 'turnId', 'type'])
})

test('a role with teams opens only these', async () => {
  expect((await overview(bo)).teams.map(({ name }: { name: string }) => name)).toEqual(['backend'])
  const refused = await post(bo, '/api/viewer/messages', { team: 'attacker', conversation: 'x', message: 'say hi' })
  expect(refused).toMatchObject({ status: 403 })
})

test('a login whose role was removed asks nobody any more', async () => {
  const finn = await signInAs(iris, 'finn', 'gone')
  iris.world.writeConfig({ roles: { reader } })
  await iris.event('config-reloaded')
  expect(await overview(finn)).toMatchObject({ role: 'gone', teams: [] })
  expect(await send(finn, 'x', 'say hi')).toMatchObject({ status: 403 })
})

describe('a login for chatting', () => {
  const routes = operationNames.flatMap((name) =>
    contracts[name].routes.map((route) => [name, ...splitRoute(route)] as const),
  )
  const isForViewers = (name: OperationName): boolean => (contracts[name] as Operation).access === 'viewer'
  const values: Readonly<Record<string, string>> = { team: 'backend', channel: 'shop' }

  test.each(routes.filter(([name]) => !isForViewers(name)))('may not call %s (%s %s)', async (_name, method, path) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => values[field] ?? 'x')
    const answer = method === 'GET' ? await get(ana, filled) : await post(ana, filled, {})
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('not_allowed') })
  })

  test.each([
    '/api',
    '/api/openapi.json',
    '/api/stream',
    '/api/viewers',
    '/api/viewer/../teams',
    '/api//viewer',
    '/metrics',
    '/mcp',
    '/login/codes',
    '/stop',
    '/api/viewer/x',
    '/API/viewer',
  ])('opens nothing at %s', async (path) => {
    for (const answer of [await get(ana, path), await post(ana, path, {})]) {
      expect([403, 404, 405]).toContain(answer.status)
      expect(answer.body).not.toContain('backend')
    }
  })

  test('is refused and audited before any route sees it', async () => {
    // Few refusals of one person are recorded in a minute.
    await get(await signInAs(iris, 'dora'), '/api/openapi.json')
    const [entry] = iris.rows("SELECT actor, action, subject FROM audit WHERE actor = 'viewer:dora'")
    expect(entry).toEqual({ actor: 'viewer:dora', action: 'call.refused', subject: 'GET /api/openapi.json' })
  })

  test.each([
    ['another asker', { fromTeam: 'backend' }],
    ['another role', { role: 'os_agent' }],
    ['a thread of another role', { conversation: 'role:os_agent' }],
    ['several teams', { team: '*' }],
    ['a file of the disk', { attachments: [{ path: '/etc/hostname' }] }],
  ])('cannot name %s', async (_what, more) => {
    const before = await overview(ana)
    expect([400, 403, 404]).toContain((await send(ana, 'first', 'say x', more)).status)
    expect(await overview(ana)).toEqual(before)
  })

  test('may have five messages that wait, and nobody else waits for them', async () => {
    const waiting: string[] = []
    for (let sent = 0; sent < 5; sent += 1) {
      const { body } = await send(ana, 'many', 'wait')
      waiting.push(JSON.parse(body).turnId)
    }
    expect(await send(ana, 'many', 'wait')).toMatchObject({ status: 429, body: expect.stringContaining('queue_full') })
    expect(await send(ana, 'another', 'wait')).toMatchObject({ body: expect.stringContaining('queue_full') })
    expect(await asked(bo, 'free', 'say go on')).toMatchObject({ text: 'go on' })
    for (const turnId of waiting) expect((await post(ana, '/api/viewer/stop', { turnId })).status).toBe(200)
    await eventually(async () => {
      const turns: { status: string }[] = await turnsIn(ana, 'many')
      return turns.every(({ status }) => status === 'cancelled')
    }, 'all are stopped')
  })

  test('is only for the owner to make, with a name and a role that exist', async () => {
    const make = async (query: string, headers: Record<string, string>) =>
      (await plainHttp(iris.port, 'POST', `/login/codes?${query}`, headers)).status
    const asOwner = { authorization: `Bearer ${iris.world.owner()}` }
    expect(await make('name=eve', { authorization: `Bearer ${iris.token}` })).toBe(403)
    expect(await make('name=eve', fromPage(ana))).toBe(403)
    expect(await make('name=eve', fromPage(owner))).toBe(403)
    for (const query of ['name=owner', 'name=Eve', 'name=', 'name=a:b'])
      expect([query, await make(query, asOwner)]).toEqual([query, 400])
    expect(await make('name=eve&role=none', asOwner)).toBe(404)
  })

  test('is listed with its name, ends when it is revoked, and so does its stream', async () => {
    const cookie = await signInAs(iris, 'cleo')
    await using stream = await EventStream.at(`http://127.0.0.1:${iris.port}/api/viewer/stream`, { cookie })
    await stream.next('snapshot')
    const { logins } = JSON.parse((await get(owner, '/api/logins')).body)
    const login = logins.find(({ name }: { name?: string }) => name === 'cleo')
    expect(login).toMatchObject({ name: 'cleo', role: 'chat_bot' })
    await post(owner, `/api/logins/${login.loginId}/revoke`, {})
    expect((await get(cookie, '/api/viewer')).status).toBe(401)
    await stream.ended
  })

  test('lasts over a restart of Iris, and stays one for chatting', async () => {
    await iris.restart()
    // The port is in the name of the cookie.
    ana = ana.replace(/^[^=]+/, `iris-${iris.port}`)
    expect(await overview(ana)).toMatchObject({ name: 'ana', role: 'chat_bot', isOwner: false })
    expect((await get(ana, '/api/logins')).status).toBe(403)
  })

  test('gives an agent that has stolen its cookie nothing', async () => {
    const page = `http://127.0.0.1:${iris.port}`
    const as = `-H 'cookie: ${ana}' -H 'origin: ${page}' -H 'content-type: application/json'`
    const { response } = await ask(iris, 'attacker', `run curl -s ${as} ${page}/api/viewer ${page}/api/viewer/stream`)
    expect(response?.match(/"code":"not_allowed"/g)).toHaveLength(2)
  })

  test('holds at the public address alone when it was made for it', async () => {
    const asOwner = { authorization: `Bearer ${iris.world.owner()}` }
    const made = await plainHttp(iris.port, 'POST', '/login/codes?for=public&name=ana&role=reader', asOwner)
    const { path } = JSON.parse(made.body)
    const proxied = { host, 'x-forwarded-for': '192.0.2.7' }
    const shown = await plainHttp(iris.port, 'GET', path, { ...proxied, accept: 'text/html' })
    expect(shown.body).toContain('this browser chats as ana')
    const form = { ...proxied, origin: `https://${host}`, 'content-type': 'application/x-www-form-urlencoded' }
    const { headers } = await plainHttp(iris.port, 'POST', '/login', form, path.replace('/login?', ''))
    const cookie = headers['set-cookie']![0]!.split(';', 1)[0]!
    const there = (to: string) => plainHttp(iris.port, 'GET', to, { ...proxied, cookie })
    expect(JSON.parse((await there('/api/viewer')).body)).toMatchObject({ name: 'ana', role: 'reader' })
    expect((await there('/api/logins')).status).toBe(403)
    expect((await get(cookie, '/api/viewer')).status).toBe(401)
  })
})
