import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { follow, signIn } from '../support/browser-login.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { obedient } from '../support/obedient.ts'
import { plainHttp } from '../support/plain-http.ts'

const day = 24 * 3_600_000
const host = 'iris.example.org'
const origin = `https://${host}`
const clock = new JumpingClock({ goesOn: true })
const status = '/api/teams/backend/status'
const phone = 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/156.0.0.0 Mobile Safari/537.36'

let iris: TestIris
beforeAll(async () => {
  const open = { grantPermission: 'yes', dangerous: true, isolation: 'none' }
  const settings = { publicUrl: `${origin}/` }
  iris = await TestIris.start({
    claude: 'fake',
    clock,
    script: obedient,
    settings,
    teams: { backend: {}, attacker: open },
  })
})
afterAll(() => iris[Symbol.asyncDispose]())

const owner = () => ({ authorization: `Bearer ${iris.world.owner()}` })
const read = (headers: Record<string, string>, path = status) =>
  plainHttp(iris.port, 'GET', path, { host, 'x-forwarded-for': '192.0.2.7', ...headers })
const fromPage = { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
const post = (path: string, headers: Record<string, string>, body = '{}') =>
  plainHttp(iris.port, 'POST', path, { host, ...headers }, body)

async function publicLink(): Promise<string> {
  const made = await plainHttp(iris.port, 'POST', '/login/codes?for=public', owner())
  const { url, path, expiresInMs } = JSON.parse(made.body)
  expect({ status: made.status, url, expiresInMs }).toEqual({ status: 201, url: origin + path, expiresInMs: 600_000 })
  return path
}

const openLink = (path: string) => read({ accept: 'text/html', 'sec-fetch-site': 'none' }, path)
const pressButton = (path: string, headers: Record<string, string> = {}) =>
  post(
    '/login',
    { ...fromPage, 'content-type': 'application/x-www-form-urlencoded', 'user-agent': phone, ...headers },
    path.replace('/login?', ''),
  )

async function signedIn(): Promise<string> {
  const { headers } = await pressButton(await publicLink())
  return headers['set-cookie']![0]!.split(';', 1)[0]!
}

describe('a link for the public address', () => {
  test('shows a button first, so that a program that looks at links does not use it up', async () => {
    const link = await publicLink()
    for (let times = 0; times < 2; times += 1) {
      const page = await openLink(link)
      expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<button>Sign in</button>') })
      expect(page.headers).not.toHaveProperty('set-cookie')
      expect(page.headers['content-security-policy']).toContain("form-action 'self'")
    }
    const { status: answered, headers } = await pressButton(link)
    expect({ answered, location: headers.location }).toEqual({ answered: 303, location: '/' })
    const [cookie] = headers['set-cookie']!
    expect(cookie).toMatch(/^__Host-iris=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000$/)
    expect(await read({ cookie: cookie!.split(';')[0]! })).toMatchObject({ status: 200 })
    const again = await pressButton(link)
    expect(again).toMatchObject({ status: 401, body: expect.stringContaining('iris dashboard') })
    expect(again.headers).not.toHaveProperty('set-cookie')
  })

  test('works for ten minutes', async () => {
    const [inTime, late] = [await publicLink(), await publicLink()]
    await clock.jump(599_000)
    expect(await pressButton(inTime)).toMatchObject({ status: 303 })
    await clock.jump(2000)
    expect(await pressButton(late)).toMatchObject({ status: 401 })
  })

  test('opens nothing on this machine, and one for this machine nothing there', async () => {
    expect(await follow(iris, await publicLink())).toMatchObject({ status: 401 })
    const made = await plainHttp(iris.port, 'POST', '/login/codes', owner())
    expect(await pressButton(JSON.parse(made.body).path)).toMatchObject({ status: 401 })
  })

  test.each([
    ['of a page of another origin', { origin: 'https://evil.example' }],
    ['of a page without an origin', { origin: 'null' }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of a page over plain HTTP', { origin: `http://${host}` }],
  ])('is not taken from a form %s', async (_what, headers) => {
    const link = await publicLink()
    expect((await pressButton(link, headers)).status).toBe(403)
    expect((await pressButton(link)).status).toBe(303)
  })

  test('is not for agents, and its owner can still use it', async () => {
    const link = await publicLink()
    const own = `http://127.0.0.1:${iris.port}`
    const as = `-H 'host: ${host}' -H 'origin: ${origin}'`
    const { response } = await ask(iris, 'attacker', `run curl -s -i ${as} -d '${link.slice(7)}' ${own}/login`)
    expect(response).toContain('403')
    expect(response).not.toContain('set-cookie')
    expect((await pressButton(link)).status).toBe(303)
  })
})

describe('the public address', () => {
  test.each([
    ['another host', { host: 'evil.example' }],
    ['a subdomain', { host: `a.${host}` }],
    ['a longer name', { host: `${host}.evil.example` }],
    ['a trailing dot', { host: `${host}.` }],
    ['another port', { host: `${host}:1615` }],
    ['credentials before it', { host: `evil@${host}` }],
    ['a path behind it', { host: `${host}/x` }],
    ['a space behind it', { host: `${host} evil.example` }],
    ['what a proxy says of the host', { host: 'evil.example', 'x-forwarded-host': host }],
    ['the address of this machine through a proxy', { host: '127.0.0.1' }],
    ['another host in the name of this machine', { host: 'evil.example', 'x-forwarded-for': '127.0.0.1' }],
  ])('is not %s', async (_what, headers: Record<string, string>) => {
    const cookie = await signedIn()
    // An invalid host is refused before Iris checks it.
    expect([400, 403]).toContain((await read({ cookie, ...headers })).status)
  })

  test.each([host, host.toUpperCase(), `${host}:443`])('is %s', async (name) => {
    expect((await read({ cookie: await signedIn(), host: name })).status).toBe(200)
  })

  test('takes no bearer token, whosever it is, and says nothing without a login', async () => {
    for (const token of [iris.world.owner(), iris.token]) {
      const answer = await read({ authorization: `Bearer ${token}` })
      expect(answer).toMatchObject({ status: 401, body: expect.stringContaining('iris dashboard --public') })
      expect(await read({ authorization: `Bearer ${token}`, cookie: await signedIn() })).toMatchObject({ status: 401 })
      expect(await post('/login/codes', { authorization: `Bearer ${token}` })).toMatchObject({ status: 401 })
    }
    for (const path of ['/health', '/ready', '/metrics', '/mcp', '/api/logins'])
      expect([path, (await read({}, path)).status]).toEqual([path, 401])
  })

  test.each(['/mcp', '/mcp/abc', '/stop', '/metrics', '/health', '/permissions/abc/answer'])(
    'has nothing at %s, even for the owner',
    async (path) => {
      const cookie = await signedIn()
      expect((await post(path, { ...fromPage, cookie })).status).toBe(404)
      expect((await read({ cookie }, path)).status).toBe(404)
    },
  )

  test('takes no cookie of this machine, and this machine none of its', async () => {
    const [here, there] = [await signIn(iris), await signedIn()]
    const [mine, theirs] = [here.split('=')[1]!, there.split('=')[1]!]
    expect((await read({ cookie: `__Host-iris=${mine}; ${here}` })).status).toBe(401)
    const local = await plainHttp(iris.port, 'GET', status, { cookie: `iris-${iris.port}=${theirs}; ${there}` })
    expect(local.status).toBe(401)
  })

  test.each([
    ['without saying which page it comes from', { origin: undefined }],
    ['from a page of another origin', { origin: 'https://evil.example' }],
    ['from a page of this machine', { origin: 'http://127.0.0.1' }],
    ['from a page without an origin', { origin: 'null' }],
    ['from a page of the same site', { 'sec-fetch-site': 'same-site' }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('changes nothing %s', async (_how, changed: Record<string, string | undefined>) => {
    const all: Record<string, string | undefined> = { ...fromPage, cookie: await signedIn(), ...changed }
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const headers = Object.fromEntries(given)
    for (const path of ['/api/teams/backend/sleep', '/api/logins/all/revoke', '/logout'])
      expect([path, (await post(path, headers)).status]).toEqual([path, 403])
    expect((await read({ cookie: headers['cookie']! })).status).toBe(200)
  })

  test('gives an agent of this machine that has stolen a cookie no more than its own rights', async () => {
    const cookie = await signedIn()
    const as = `-H 'host: ${host}' -H 'origin: ${origin}' -H 'cookie: ${cookie}' -H 'content-type: application/json'`
    const own = `http://127.0.0.1:${iris.port}`
    const { response } = await ask(iris, 'attacker', `run curl -s ${as} ${own}/api/logins ${own}/api/permissions`)
    expect(response?.match(/"code":"not_allowed"/g)).toHaveLength(2)
  })
})

describe('a login', () => {
  const list = async (cookie: string) => JSON.parse((await read({ cookie }, '/api/logins')).body).logins

  test('is listed with its browser and its address, and says which one asks', async () => {
    await post('/api/logins/all/revoke', { ...fromPage, cookie: await signedIn() })
    const local = await signIn(iris)
    await clock.jump(1000)
    const cookie = await signedIn()
    expect(local).toBeDefined()
    expect(await list(cookie)).toEqual([
      {
        loginId: expect.stringMatching(/^[\da-f]{8}$/),
        browser: 'Chrome on Android',
        address: origin,
        isThis: true,
        madeAt: expect.any(Number),
        usedAt: expect.any(Number),
      },
      expect.objectContaining({ browser: 'A browser', isThis: false }),
    ])
  })

  test('that is revoked opens nothing any more, its open streams end, and no other does', async () => {
    const [stolen, own] = [await signedIn(), await signedIn()]
    const streams = [await socketWith(stolen), await socketWith(own)] as const
    const events = await eventsWith(stolen)
    const [mine] = (await list(stolen)).filter(({ isThis }: { isThis: boolean }) => isThis)
    const revoked = await post(`/api/logins/${mine.loginId}/revoke`, { ...fromPage, cookie: own })
    expect(JSON.parse(revoked.body)).toEqual({ revoked: 1 })
    expect(await read({ cookie: stolen })).toMatchObject({ status: 401 })
    await Promise.all([streams[0].closed, events.closed])
    expect(streams[1].socket.readyState).toBe(WebSocket.OPEN)
    expect(await read({ cookie: own })).toMatchObject({ status: 200 })
    streams[1].socket.close()
    const entry = iris.rows("SELECT actor, subject FROM audit WHERE action = 'revoke_login' ORDER BY sequence DESC")[0]
    expect(entry).toEqual({ actor: 'owner', subject: mine.loginId })
    expect((await post(`/api/logins/${mine.loginId}/revoke`, { ...fromPage, cookie: own })).status).toBe(404)
  })

  test('lasts over a restart, for a week without use and a month with it', async () => {
    const [used, left] = [await signedIn(), await signedIn()]
    await iris.restart()
    await clock.jump(6 * day)
    expect((await read({ cookie: used })).status).toBe(200)
    await clock.jump(2 * day)
    expect((await read({ cookie: left })).status).toBe(401)
    for (let week = 0; week < 3; week += 1) {
      expect((await read({ cookie: used })).status).toBe(200)
      await clock.jump(6 * day)
    }
    expect((await read({ cookie: used })).status).toBe(200)
    await clock.jump(5 * day)
    expect((await read({ cookie: used })).status).toBe(401)
  })

  test('ends when config.yaml names another address, with its streams', async () => {
    const cookie = await signedIn()
    const { closed } = await socketWith(cookie)
    iris.world.writeConfig({ settings: { publicUrl: 'https://other.example' } })
    await closed
    await eventually(async () => (await read({ cookie })).status === 403, 'the host is refused')
    expect((await read({ cookie, host: 'other.example' })).status).toBe(401)
  })
})

async function socketWith(cookie: string): Promise<{ socket: WebSocket; closed: Promise<void> }> {
  const socket = new WebSocket(`ws://127.0.0.1:${iris.port}/api/stream`, { origin, headers: { host, cookie } })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return { socket, closed }
}

/** A stream of Server-Sent Events that has begun. */
async function eventsWith(cookie: string): Promise<{ closed: Promise<unknown> }> {
  const asked = request({ port: iris.port, path: '/api/stream', headers: { host, cookie } }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const closed = once(response, 'close')
  await once(response, 'data')
  response.resume()
  return { closed }
}
