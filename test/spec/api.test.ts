import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { splitRoute } from '../../src/adapters/http/api/operations.ts'
import { heldText } from '../../src/app/demo/script.ts'
import { contracts, operationNames } from '../../src/features/contracts.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { spoken } from '../support/world.ts'

type Json = Record<string, unknown>

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    teams: { backend: {}, frontend: {} },
    script: ({ conversation: { lastUserText } }) => ({ text: `answer to ${spoken(lastUserText)}` }),
  })
})
afterAll(() => iris[Symbol.asyncDispose]())

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${iris.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${iris.token}`, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const type = response.headers.get('content-type') ?? ''
  return {
    status: response.status,
    type,
    headers: response.headers,
    body: (type.includes('json') ? await response.json() : {}) as Json,
  }
}

test('a team is asked and looked at as the seed writes it', async () => {
  const told = await call('POST', '/api/teams/tell', { toTeam: 'backend', message: 'hello' })
  expect(told).toMatchObject({ status: 200, body: { status: 'completed', response: 'answer to hello' } })
  const status = await call('GET', '/api/teams/backend/status')
  expect(status.body).toMatchObject({ teams: [{ name: 'backend', status: 'awake' }] })
  const turn = await call('GET', `/api/turns/${told.body['turnId']}?timeout=0`)
  expect(turn.body).toMatchObject({ status: 'completed', response: 'answer to hello' })
})

test('who does not wait is told that the answer is still to come', async () => {
  const told = await call('POST', '/api/teams/tell', { toTeam: 'backend', message: 'later', timeout: -1 })
  expect(told).toMatchObject({ status: 202, body: { status: 'async' } })
  const location = told.headers.get('location')
  expect(location).toBe(`/api/turns/${told.body['turnId']}?timeout=0`)
  expect(await call('GET', location!)).toMatchObject({ status: 200, body: { response: 'answer to later' } })
})

test('a wait without an end is answered after 240 s; answers say where the rest will be, and how many calls are left', async () => {
  const held = Promise.withResolvers<void>()
  const clock = new JumpingClock()
  await using slow = await TestIris.start({
    claude: 'fake',
    clock,
    settings: { callsPerMinute: 60, responseTimeout: 3_600_000 },
    script: () => ({ stream: heldText('It is ', held.promise, 'done.') }),
  })
  const ask = (path: string, init: RequestInit) =>
    fetch(`http://127.0.0.1:${slow.port}${path}`, { ...init, headers: { authorization: `Bearer ${slow.token}` } })
  const body = JSON.stringify({ toTeam: 'backend', message: 'slow', timeout: 0 })
  const begun = slow.event('turn-delivered')
  const told = ask('/api/teams/tell', { method: 'POST', body })
  await begun
  await clock.jump(240_000, { while: 'busy' })
  const answer = await told
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({
    status: 202,
    body: { status: 'mcp_timeout' },
  })
  held.resolve()
  const later = await ask(answer.headers.get('location')!, {})
  expect(await later.json()).toMatchObject({ status: 'completed', response: 'It is done.' })
  const limits = ['limit', 'remaining', 'reset'].map((name) => later.headers.get(`ratelimit-${name}`))
  expect(limits).toEqual(['60', '59', '1'])
})

test('a key of another message is refused with a code of its own', async () => {
  const headers = { 'idempotency-key': 'taken' }
  await call('POST', '/api/teams/tell', { toTeam: 'backend', message: 'one', timeout: -1 }, headers)
  const refused = await call('POST', '/api/teams/tell', { toTeam: 'backend', message: 'two' }, headers)
  expect(refused).toMatchObject({ status: 409, body: { code: 'key_in_use' } })
})

test('each answer has an id that the log has', async () => {
  const { headers } = await call('GET', '/api/teams')
  const other = await call('GET', '/api/nothing')
  expect(headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'))
  const logged = await call('GET', `/api/logs?level=debug&text=${headers.get('x-request-id')}`)
  expect(JSON.stringify(logged.body)).toContain('http: GET /api/teams 200')
})

test('the same Idempotency-Key is the same message', async () => {
  const body = { toTeam: 'backend', message: 'once' }
  const headers = { 'idempotency-key': 'k1' }
  const first = await call('POST', '/api/teams/tell', body, headers)
  const second = await call('POST', '/api/teams/tell', body, headers)
  expect(first.body['turnId']).toEqual(expect.any(String))
  expect(second.body['turnId']).toBe(first.body['turnId'])
})

test.each(['', ' ', 'k'.repeat(201)])('the Idempotency-Key %j is none', async (key) => {
  const body = { toTeam: 'backend', message: 'never' }
  const told = await call('POST', '/api/teams/tell', body, { 'idempotency-key': key })
  expect(told).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
})

test('a list comes in pages', async () => {
  for (const thread of ['one', 'two'])
    await call('POST', '/api/teams/tell', { toTeam: 'frontend', message: 'x', thread, timeout: -1 })
  const first = await call('GET', '/api/sessions?limit=1&to=frontend')
  const second = await call('GET', `/api/sessions?limit=1&to=frontend&cursor=${first.body['nextCursor']}`)
  const idOf = ({ body }: { body: Json }) => (body['sessions'] as Json[])[0]?.['sessionId']
  expect(idOf(first)).toEqual(expect.any(String))
  expect(idOf(second)).not.toBe(idOf(first))
})

describe('what is refused is a problem with a code, a sentence and a remedy', () => {
  test.each([
    ['GET', '/api/teams/nobody/status', undefined, 404, 'unknown_team'],
    ['POST', '/api/teams/tell', { toTeam: 'nobody', message: 'x' }, 404, 'unknown_team'],
    ['POST', '/api/teams/tell', { toTeam: 'backend' }, 400, 'invalid_input'],
    ['POST', '/api/teams/tell', 'no json', 400, 'invalid_input'],
    ['POST', '/api/teams/tell', '[1]', 400, 'invalid_input'],
    ['POST', '/api/teams/tell', '{"toTeam":{"length":{"toString":1,"valueOf":1}}}', 400, 'invalid_input'],
    ['GET', '/api/sessions?limit=many', undefined, 400, 'invalid_input'],
    ['GET', '/api/sessions?limit=1&limit=2', undefined, 400, 'invalid_input'],
    ['GET', '/api/nothing', undefined, 404, 'not_found'],
    ['GET', '/api/teams/tell', undefined, 405, 'invalid_input'],
    ['POST', '/api/teams/backend/status', {}, 405, 'invalid_input'],
  ])('%s %s', async (method, path, body, status, code) => {
    const refused = await call(method, path, body)
    expect(refused).toMatchObject({ status, body: { status, code } })
    expect(refused.type).toBe('application/problem+json')
    expect(String(refused.body['detail'])).toMatch(/\.$/)
    expect(String(refused.body['remedy'])).toMatch(/\.$/)
  })
})

test('a method that an address does not take is refused with those that it takes', async () => {
  const headers = { authorization: `Bearer ${iris.token}` }
  const refused = await fetch(`http://127.0.0.1:${iris.port}/api/teams/tell`, { headers })
  expect(refused.headers.get('allow')).toBe('POST')
  expect(await refused.json()).toMatchObject({ detail: 'This address takes POST, not GET.' })
})

test('without a credential there is a problem too, and nothing else', async () => {
  const refused = await call('GET', '/api/teams', undefined, { authorization: 'Bearer wrong' })
  expect(refused).toMatchObject({ status: 401, type: 'application/problem+json', body: { code: 'unauthorized' } })
  expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer /)
  expect(refused.headers.get('x-request-id')).toEqual(expect.any(String))
})

describe('the description', () => {
  test('is OpenAPI 3.1 and names every operation once under each of its addresses', async () => {
    const { body } = await call('GET', '/api/openapi.json')
    expect(body).toMatchObject({ openapi: '3.1.0' })
    const paths = body['paths'] as Record<string, Json>
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const others = ['GET /api/stream', 'GET /health', 'GET /metrics', 'GET /ready']
    const operations = operationNames.flatMap((name) => [...contracts[name].routes])
    expect(described.toSorted()).toEqual([...operations, ...others].toSorted())
  })

  test('is a page for people that runs nothing', async () => {
    const response = await fetch(`http://127.0.0.1:${iris.port}/api`, {
      headers: { authorization: `Bearer ${iris.token}` },
    })
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    const page = await response.text()
    for (const name of operationNames) expect(page).toContain(`id="${name}"`)
    expect(page).not.toContain('<script')
  })
})

const addresses = operationNames.flatMap((name) => contracts[name].routes.map((route) => [name, route] as const))

describe('every address', () => {
  test.each(addresses)('%s: %s refuses an argument that nobody knows', async (name, route) => {
    const [method, template] = splitRoute(route)
    const path = template.replaceAll(/\{\w+\}/g, 'x')
    const refused =
      method === 'GET' ? await call(method, `${path}?nonsense=1`) : await call(method, path, { nonsense: 1 })
    const mayProgram = !['owner', 'viewer'].includes(contracts[name].access)
    const code = mayProgram ? 'invalid_input' : 'not_allowed'
    expect(refused.body).toMatchObject({ code, detail: expect.stringContaining(name) })
  })
})
