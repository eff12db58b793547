import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { follow, newLink, signIn } from '../support/browser-login.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { plainHttp } from '../support/plain-http.ts'
import { spoken } from '../support/world.ts'

const hour = 3_600_000
const clock = new JumpingClock({ goesOn: true })

/** Does as it learns: a Bash command, whose output is the answer. */
const obeys: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const result = toolResults[0]
  const command = spoken(lastUserText)
  return result ? { text: result.text } : { toolUses: [{ name: 'Bash', input: { command, description: 'as told' } }] }
}

let iris: TestIris
beforeAll(async () => {
  const open = { grantPermission: 'yes', dangerous: true, isolation: 'none' }
  iris = await TestIris.start({ clock, script: obeys, teams: { backend: {}, attacker: open } })
})
afterAll(() => iris[Symbol.asyncDispose]())

const own = () => `http://127.0.0.1:${iris.port}`
const status = '/api/teams/backend/status'
const read = (cookie: string, headers: Record<string, string> = {}, path = status) =>
  plainHttp(iris.port, 'GET', path, { cookie, ...headers })
/** As the dashboard itself calls. */
const fromPage = () => ({ origin: own(), 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' })
const post = (path: string, headers: Record<string, string>, body = '{}') =>
  plainHttp(iris.port, 'POST', path, headers, body)
const lastAudited = () => iris.rows('SELECT actor, action, subject, detail FROM audit ORDER BY sequence DESC').at(0)

describe('a link', () => {
  test('lets one browser in, with a cookie that no script and no other site can use', async () => {
    const link = await newLink(iris)
    const { status: answered, headers } = await follow(iris, link)
    expect({ answered, location: headers.location }).toEqual({ answered: 303, location: '/' })
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    const [cookie] = headers['set-cookie']!
    expect(cookie).toMatch(new RegExp(`^iris-${iris.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`))
    expect(await read(cookie!.split(';')[0]!)).toMatchObject({ status: 200 })

    const again = await follow(iris, link)
    expect(again).toMatchObject({ status: 401, headers: { 'content-type': expect.stringContaining('text/html') } })
    expect(again.body).toContain('<code>iris dashboard</code>')
    expect(again.headers).not.toHaveProperty('set-cookie')
    expect(lastAudited()).toMatchObject({ actor: 'unknown', action: 'credential.refused', subject: 'GET /login' })
  })

  test('works for a minute, and of many at once for the latest', async () => {
    const [inTime, late] = [await newLink(iris), await newLink(iris)]
    await clock.jump(59_000)
    expect(await follow(iris, inTime)).toMatchObject({ status: 303 })
    await clock.jump(2000)
    expect(await follow(iris, late)).toMatchObject({ status: 401 })

    const links: string[] = []
    for (let each = 0; each < 21; each += 1) links.push(await newLink(iris))
    expect(await follow(iris, links[0]!)).toMatchObject({ status: 401 })
    expect(await follow(iris, links[1]!)).toMatchObject({ status: 303 })
  })

  test.each(['', '?code=', '?code=guess', '?code[]=x', '?code=%00'])(
    'that is none opens nothing: /login%s',
    async (query) => {
      expect(await follow(iris, `/login${query}`)).toMatchObject({ status: 401 })
    },
  )

  test("is made for the owner's own credential only", async () => {
    const cookie = await signIn(iris)
    for (const headers of [{ authorization: `Bearer ${iris.token}` }, { ...fromPage(), cookie }]) {
      const refused = await post('/login/codes', headers)
      expect(refused.status).toBe(403)
      expect(refused.body).not.toContain('code=')
    }
    expect(await post('/login/codes', {})).toMatchObject({ status: 401 })
  })

  test('is not for agents and opens nothing in their hands, and its owner can still use it', async () => {
    const link = await newLink(iris)
    const { response } = await ask(iris, 'attacker', `curl -s -i '${own()}${link}'`)
    expect(response).toContain('403 Forbidden')
    expect(response).not.toContain('set-cookie')
    expect(lastAudited()).toMatchObject({ actor: 'agent:attacker', action: 'call.refused', subject: 'GET /login' })
    expect(await follow(iris, link)).toMatchObject({ status: 303 })
  })
})

test('there is no link for another machine without settings.publicUrl', async () => {
  const made = await post('/login/codes?for=public', { authorization: `Bearer ${iris.world.owner()}` })
  expect(made).toMatchObject({ status: 400, body: expect.stringContaining('settings.publicUrl') })
})

describe('the cookie', () => {
  test('has the rights of the owner', async () => {
    const cookie = await signIn(iris)
    expect(await read(cookie, {}, '/api/permissions')).toMatchObject({ status: 200 })
    expect(await post('/api/teams/backend/sleep', { ...fromPage(), cookie })).toMatchObject({ status: 200 })
  })

  test.each([
    ['without saying which page it comes from', { origin: undefined }],
    ['from a page on another port', { origin: 'http://127.0.0.1:9' }],
    ['from a page without an origin', { origin: 'null' }],
    ['from a page that says so', { 'sec-fetch-site': 'same-site' }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['as plain text', { 'content-type': 'text/plain' }],
    ['as text that mentions JSON', { 'content-type': 'text/plain; application/json' }],
    ['as nothing in particular', { 'content-type': undefined }],
  ])('changes nothing %s', async (_how, changed: Record<string, string | undefined>) => {
    const cookie = await signIn(iris)
    const all: Record<string, string | undefined> = { ...fromPage(), cookie, ...changed }
    const headers = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    for (const path of ['/stop', '/api/teams/backend/sleep', '/logout', '/mcp']) {
      const refused = await post(path, headers)
      expect({ path, status: refused.status, code: JSON.parse(refused.body) }).toMatchObject({ path, status: 403 })
      expect(refused.body).toContain('not_allowed')
    }
    expect(await read(cookie)).toMatchObject({ status: 200 })
  })

  test('of a request that is not its owner’s is on record', async () => {
    await clock.jump(61_000)
    await post('/stop', { cookie: await signIn(iris) })
    expect(lastAudited()).toMatchObject({ action: 'credential.refused', subject: 'POST /stop' })
    expect(JSON.parse(String(lastAudited()?.['detail']))).toMatchObject({ credential: 'cookie' })
  })

  test('is not read from an Iris on another port, and not hidden by what another port sets', async () => {
    const cookie = await signIn(iris)
    const value = cookie.split('=')[1]
    const other = `iris-${iris.port + 1}=${value}`
    expect(await read(other)).toMatchObject({ status: 401 })
    expect(await read(`iris=${value}`)).toMatchObject({ status: 401 })
    expect(await read(`iris-${iris.port}=of-another-port; ${cookie}; theme=dark`)).toMatchObject({ status: 200 })
    expect(await read(cookie, { authorization: 'Bearer guess' })).toMatchObject({ status: 401 })
  })

  test('in the hands of an agent makes it no more than that agent, and is on record as misused', async () => {
    const cookie = await signIn(iris)
    const curl = `curl -s -H 'cookie: ${cookie}' -H 'origin: ${own()}' -H 'content-type: application/json'`
    const { response } = await ask(iris, 'attacker', `${curl} -d '{}' ${own()}/stop; ${curl} ${own()}/api/permissions`)
    expect(response).toContain('This is not allowed for agents.')
    expect(response?.match(/"code":"not_allowed"/g)).toHaveLength(2)
    const actions = iris.rows("SELECT action, subject FROM audit WHERE actor = 'agent:attacker'")
    expect(actions).toContainEqual({ action: 'credential.misused', subject: 'owner' })
    const page = await ask(iris, 'attacker', `${curl} -H 'accept: text/html' ${own()}/`)
    expect(page.response).toContain('For the owner only')
  })

  test('lasts over a restart of Iris, until it was not used for twelve hours', async () => {
    const [cookie, left] = [await signIn(iris), await signIn(iris)]
    await iris.restart()
    expect(await read(cookieHere(cookie))).toMatchObject({ status: 200 })
    await clock.jump(11 * hour)
    expect(await read(cookieHere(cookie))).toMatchObject({ status: 200 })
    await iris.restart()
    await clock.jump(11 * hour)
    expect(await read(cookieHere(cookie))).toMatchObject({ status: 200 })
    expect(await read(cookieHere(left))).toMatchObject({ status: 401 })
    await clock.jump(13 * hour)
    expect(await read(cookieHere(cookie))).toMatchObject({ status: 401 })
  })

  test('ends when its browser signs out, and no other one', async () => {
    const [cookie, other] = [await signIn(iris), await signIn(iris)]
    const out = await post('/logout', { ...fromPage(), cookie })
    expect(out).toMatchObject({ status: 200, headers: { 'set-cookie': [expect.stringContaining('Max-Age=0')] } })
    expect(await read(cookie)).toMatchObject({ status: 401 })
    expect(await read(other)).toMatchObject({ status: 200 })
    await iris.restart()
    expect(await read(cookieHere(cookie))).toMatchObject({ status: 401 })
  })

  test('is kept as a hash that opens nothing, in a file that lets nobody in who writes into it', async () => {
    const cookie = await signIn(iris)
    const file = join(iris.world.home, 'data/logins.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, JSON.stringify({ guess: clock.now(), [cookie.split('=')[1]!]: clock.now() }))
    await iris.restart()
    expect(await read(cookieHere('iris-0=guess'))).toMatchObject({ status: 401 })
    expect(await read(cookieHere(cookie))).toMatchObject({ status: 401 })
    writeFileSync(file, 'no JSON')
    await iris.restart()
    expect(await read(cookieHere(await signIn(iris)))).toMatchObject({ status: 200 })
  })

  test("ends with the owner's credential", async () => {
    const cookie = await signIn(iris)
    rmSync(join(iris.world.home, 'owner'))
    await iris.restart()
    expect(await read(cookieHere(cookie))).toMatchObject({ status: 401 })
  })

  /** Each start of a test's Iris has another port. */
  function cookieHere(cookie: string): string {
    return `iris-${iris.port}=${cookie.split('=')[1]}`
  }
})

test.each(['/', '/sessions/abc', '/no/such/page'])('a browser at %s that was not let in is told how', async (path) => {
  const page = await follow(iris, path)
  expect(page).toMatchObject({ status: 401, headers: { 'content-type': expect.stringContaining('text/html') } })
  expect(page.body).toContain('<code>iris dashboard</code>')
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
})
