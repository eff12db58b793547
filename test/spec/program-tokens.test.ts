import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { OperationName } from '../../src/features/contracts.ts'
import { theOwner } from '../../src/kernel/call/principal.ts'
import { signIn } from '../support/browser-login.ts'
import { callAs } from '../support/call-as.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { EventStream } from '../support/event-stream.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { obedient } from '../support/obedient.ts'
import { plainHttp } from '../support/plain-http.ts'
import { runCommand } from '../support/run-command.ts'
import { spoken } from '../support/world.ts'

const host = 'iris.example.org'
const day = 24 * 3_600_000
const clock = new JumpingClock({ goesOn: true })
const open = { grantPermission: 'yes', dangerous: true, isolation: 'none' }
const below = 'the plan of the people below'

/** Asks another team when it is told to, else obeys. */
const script: Script = (asked) => {
  const { lastUserText, toolResults } = asked.conversation
  if (spoken(lastUserText) !== 'pass it on' || toolResults[0] !== undefined) return obedient(asked)
  return { toolUses: [{ name: 'mcp__iris__ask_message', input: { toTeam: 'mobile', message: `say ${below}` } }] }
}

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    clock,
    script,
    settings: { publicUrl: `https://${host}` },
    teams: { backend: open, mobile: open, attacker: open },
  })
  iris.world.writeConfig({ roles: { ci: { teams: ['backend'], tools: 'all' } } })
  await iris.restart()
})
afterAll(() => iris[Symbol.asyncDispose]())

const owner = { principal: theOwner, team: undefined, parent: undefined }
const asOwner = (name: OperationName, input: object = {}) => callAs(owner, iris, name, input)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const get = (token: string, path: string) => plainHttp(iris.port, 'GET', path, bearer(token))
const post = (headers: Record<string, string>, path: string, body: object = {}) =>
  plainHttp(iris.port, 'POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body))
const at = (token: string) => ({ port: iris.port, token })

/** Makes a token for a program; tests use a name each. */
async function made(program: string, more: object = {}): Promise<string> {
  const { token } = await asOwner('create_token', { program, teams: ['backend'], ...more })
  return String(token)
}

const audited = () =>
  iris.rows('SELECT actor, action, subject FROM audit ORDER BY sequence').map((row) => Object.values(row).join(' '))

describe('a program with a token of its own', () => {
  test('asks in its own name, as a party of its own', async () => {
    const token = await made('github')
    expect(token).toMatch(/^iris_[0-9A-Za-z]{49}$/)
    const answer = await ask(at(token), 'backend', 'say good day', { idempotencyKey: 'one' })
    expect(answer).toMatchObject({ from: 'program:github', to: 'backend', status: 'completed', response: 'good day' })
    const itsConversation = { team: 'backend', fromTeam: 'program:github' }
    expect(await callTool(iris, 'session_report', itsConversation)).toMatchObject({
      entries: [{ message: 'say good day', status: 'completed' }],
    })
    const inItsName = { toTeam: 'backend', message: 'say x', fromTeam: 'program:github' }
    expect(await refusal(iris, 'send_message', inItsName)).toMatchObject({ code: 'unknown_team' })
    // Keys are its own, and so are notices.
    const again = await ask(at(token), 'backend', 'say good day', { idempotencyKey: 'one' })
    const others = await ask(iris, 'backend', 'say good day', { idempotencyKey: 'one' })
    expect(again.turnId).toBe(answer.turnId)
    expect(others).toMatchObject({ from: 'external' })
    expect(others.turnId).not.toBe(answer.turnId)
    expect(await callTool(at(token), 'notify', { toTeam: 'backend', message: 'x' })).toMatchObject({
      from: 'program:github',
      pending: 1,
    })
    const metrics = await get(iris.world.owner(), '/metrics')
    expect(metrics.body).toMatch(/iris_calls_total\{operation="send_message",caller="program:github",result="ok"\} \d/)
    expect(audited()).toContain('owner create_token github')
  })

  test('names nobody else, and asks no team that its token does not name', async () => {
    const token = await made('narrow')
    for (const fromTeam of ['external', 'mobile', 'program:github', 'viewer:ana', 'telegram:1'])
      expect(await refusal(at(token), 'send_message', { toTeam: 'backend', message: 'x', fromTeam })).toMatchObject({
        code: 'from_mismatch',
      })
    // Whether there is such a team is not said.
    for (const toTeam of ['mobile', 'nowhere', ['backend', 'mobile'], 'backend@elsewhere'])
      expect(await refusal(at(token), 'send_message', { toTeam, message: 'x' })).toMatchObject({ code: 'not_allowed' })
    for (const name of ['notify', 'quick_message', 'ask_message'])
      expect(await refusal(at(token), name, { toTeam: 'mobile', message: 'x' })).toMatchObject({ code: 'not_allowed' })
    expect(await refusal(at(token), 'session_report', { team: 'mobile' })).toMatchObject({ code: 'not_allowed' })
    expect(await refusal(at(token), 'send_message', { toTeam: 'backend', message: 'x', at: '08:00' })).toMatchObject({
      code: 'not_allowed',
    })
    const all = await callTool(at(token), 'send_message', { toTeam: '*', message: 'say x', timeout: 0 })
    expect(all['results']).toMatchObject([{ to: 'backend', from: 'program:narrow' }])
    const teams = await get(token, '/api/teams')
    expect(JSON.parse(teams.body)).toMatchObject({ teams: [{ name: 'backend', config: {} }], totalTeams: 1 })
    expect(teams.body).not.toContain(iris.world.root)
    // It has no project, and answers nobody.
    for (const path of ['package.json', '/etc/hostname'])
      expect(
        await refusal(at(token), 'send_message', { toTeam: 'backend', message: 'x', attachments: [{ path }] }),
      ).toMatchObject({
        code: 'not_allowed',
        message: expect.stringContaining('Only a team can attach a file by path'),
      })
    const inReplyTo = '00000000-0000-4000-8000-999999999999'
    expect(await refusal(at(token), 'send_message', { toTeam: 'backend', message: 'x', inReplyTo })).toHaveProperty(
      'code',
    )
    // A directory says nothing of who it is.
    const directory = iris.world.directory('mobile')
    expect(await ask(at(token), 'backend', 'say x', {}, { directory })).toMatchObject({ from: 'program:narrow' })
  })

  test('asks with the rights of its role, and of no other', async () => {
    const token = await made('with-role', { role: 'ci', teams: 'mobile,backend'.split(',') })
    expect(await ask(at(token), 'backend', 'say x')).toMatchObject({ thread: 'role:ci' })
    expect(await refusal(at(token), 'send_message', { toTeam: 'mobile', message: 'x' })).toMatchObject({
      code: 'not_allowed',
      message: 'The role "ci" may not ask mobile.',
    })
    const role = 'os_agent'
    expect(await refusal(at(token), 'send_message', { toTeam: 'backend', message: 'x', role })).toMatchObject({
      code: 'not_allowed',
    })
    const { teams } = JSON.parse((await get(token, '/api/teams')).body)
    expect(teams).toMatchObject([{ name: 'backend' }])
    expect(teams).toHaveLength(1)
    expect(await callTool(at(token), 'notify', { toTeam: 'backend', message: 'x' })).toMatchObject({
      thread: 'role:ci',
    })
    const report = await callTool(at(token), 'session_report', { team: 'backend' })
    expect(report).toMatchObject({ from: 'program:with-role', stats: { total: 1 } })
  })

  test('sees its own turns, and of what happened below them the status', async () => {
    const [mine, other] = [await made('reader'), await made('neighbour')]
    await using stream = await EventStream.open(at(mine))
    await using owners = await EventStream.open(at(iris.world.owner()))
    expect((await stream.next('snapshot')).data).toEqual({ turns: [] })
    const foreign = await ask(at(other), 'backend', 'say parasol and umbrella')
    const own = await ask(at(mine), 'backend', 'pass it on')
    expect(own).toMatchObject({ status: 'completed', response: expect.stringContaining(below) })
    await stream.next('turn-settled', ({ turnId }) => turnId === own.turnId)
    await owners.next('turn-settled', ({ from }) => from === 'backend')
    const heard = stream.received.slice(1)
    expect(new Set(heard.map(({ data }) => data['from'] ?? data['turnId']))).toEqual(new Set(['program:reader']))
    expect(heard.map(({ type }) => type)).not.toContain('turn-message')

    const list = JSON.parse((await get(mine, '/api/turns')).body)
    expect(list.turns.map(({ turnId }: { turnId: string }) => turnId)).toEqual([own.turnId])
    const trace = await get(mine, `/api/turns/${own.turnId}/trace`)
    const [root, child] = JSON.parse(trace.body).turns
    expect(root).toMatchObject({ turnId: own.turnId, to: 'backend', tools: [] })
    expect(child).toMatchObject({ status: 'completed', message: '', from: 'hidden', to: 'hidden', tools: [] })
    expect(trace.body).not.toMatch(/mobile|ask_message|plan of the people/)
    // What its team asked, and what others asked, is like what does not exist.
    for (const turnId of [child.turnId, foreign.turnId]) {
      expect(await get(mine, `/api/turns/${turnId}/trace`)).toMatchObject({ status: 404 })
      expect(await get(mine, `/api/turns/${turnId}`)).toMatchObject({ status: 404 })
      expect(await refusal(at(mine), 'session_cancel', { turnId })).toMatchObject({ code: 'unknown_turn' })
    }
    expect(await refusal(at(mine), 'message_status', { turnId: own.turnId, raw: true })).toMatchObject({
      code: 'not_allowed',
    })
    const searched = async (token: string, query = '') =>
      JSON.parse((await get(token, `/api/search?query=umbrella${query}`)).body)
    expect((await searched(other)).hits).toMatchObject([{ turnId: foreign.turnId }, { turnId: foreign.turnId }])
    for (const query of ['', '&from=program:neighbour', '&team=backend', '&to=nowhere'])
      expect((await searched(mine, query)).hits).toEqual([])
    const sessions = await callTool(at(mine), 'list_sessions', {})
    expect(sessions['sessions']).toMatchObject([{ from: 'program:reader', to: 'backend' }])
  })

  test('may make as many calls a minute as its token says, and takes no share of others', async () => {
    const token = await made('slow', { calls: 3 })
    for (let call = 0; call < 3; call += 1) await callTool(at(token), 'get_date')
    expect(await refusal(at(token), 'get_date', {})).toMatchObject({ code: 'too_many_calls' })
    expect(await callTool(iris, 'get_date')).toHaveProperty('timestamp')
  })

  test.each([
    '/stop',
    '/login/codes',
    '/logout',
    '/metrics',
    '/api/viewer',
    '/api/viewer/stream',
    '/permissions/x/answer',
  ])('has nothing at %s', async (path) => {
    const token = await made(`path${path.replaceAll(/\W/g, '-')}`)
    for (const { status } of [await get(token, path), await post(bearer(token), path)])
      expect([401, 403, 404]).toContain(status)
    expect(iris.daemon.port).toBe(iris.port)
  })

  test('is nobody with a token in an address, in a cookie, or on the home socket', async () => {
    const token = await made('elsewhere')
    for (const query of [`token=${token}`, `access_token=${token}`, `authorization=Bearer%20${token}`])
      expect(await plainHttp(iris.port, 'GET', `/api/teams?${query}`, {})).toMatchObject({ status: 401 })
    const cookie = `iris-${iris.port}=${token}`
    expect(await plainHttp(iris.port, 'GET', '/api/teams', { cookie })).toMatchObject({ status: 401 })
    const logged = await asOwner('get_logs', {})
    expect(JSON.stringify([logged, audited()])).not.toContain(token)
  })

  test('is, where an agent found its token, that agent', async () => {
    const token = await made('found')
    const body = JSON.stringify({ toTeam: 'backend', message: 'say x', timeout: 0 })
    const curl = `curl -s -H 'authorization: Bearer ${token}' -H 'content-type: application/json'`
    const { response } = await ask(
      iris,
      'attacker',
      `run ${curl} -d '${body}' http://127.0.0.1:${iris.port}/api/teams/tell`,
    )
    expect(response).toContain('"from":"attacker"')
    expect(audited()).toContain('agent:attacker credential.misused program:found')
    // Also with the name of the public address.
    const away = await made('found-away', { role: 'ci', public: true })
    const there = `curl -s -H 'host: ${host}' -H 'authorization: Bearer ${away}' http://127.0.0.1:${iris.port}/api/sessions`
    expect((await ask(iris, 'attacker', `run ${there}`)).response).not.toContain('program:found-away')
    expect(audited()).toContain('agent:attacker credential.misused program:found-away')
  })
})

describe('a token', () => {
  test('is kept as a hash, in a file for its owner alone', async () => {
    const token = await made('kept')
    const file = join(iris.world.home, 'tokens')
    for (const path of [file, join(iris.world.home, 'data/tokens.key')]) {
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(readFileSync(path, 'utf8')).not.toContain(token)
    }
    await iris.restart()
    expect(await callTool(at(token), 'get_date')).toHaveProperty('timestamp')
  })

  test('counts beside the next for a day', async () => {
    const first = await made('rotated')
    const { token: second } = await asOwner('rotate_token', { program: 'rotated' })
    for (const token of [first, String(second)]) expect(await get(token, '/api/teams')).toMatchObject({ status: 200 })
    await clock.jump(day)
    expect(await get(first, '/api/teams')).toMatchObject({ status: 401 })
    expect(await get(String(second), '/api/teams')).toMatchObject({ status: 200 })
    const { token: third } = await asOwner('rotate_token', { program: 'rotated', now: true })
    expect(await get(String(second), '/api/teams')).toMatchObject({ status: 401 })
    expect(await get(String(third), '/api/teams')).toMatchObject({ status: 200 })
  })

  test('ends its open stream when it is revoked, and is not known any more', async () => {
    const token = await made('revoked')
    await using stream = await EventStream.open(at(token))
    await stream.next('snapshot')
    await asOwner('revoke_token', { program: 'revoked' })
    await stream.ended
    expect(await get(token, '/api/stream')).toMatchObject({ status: 401 })
    expect(await get(token, '/api/teams')).toMatchObject({ status: 401 })
    await expect(asOwner('revoke_token', { program: 'revoked' })).rejects.toMatchObject({ code: 'not_found' })
    const { tokens } = await asOwner('list_tokens')
    expect(JSON.stringify(tokens)).not.toContain('"revoked"')
  })

  test('that has ended counts no more when the clock is set back', async () => {
    const token = await made('expiring', { expires: '2d' })
    await using stream = await EventStream.open(at(token))
    await stream.next('snapshot')
    await clock.jump(2 * day)
    await stream.ended
    clock.wallAhead = -3 * day
    expect(await get(token, '/api/teams')).toMatchObject({ status: 401 })
    await iris.restart()
    expect(await get(token, '/api/teams')).toMatchObject({ status: 401 })
    clock.wallAhead = 0
  })

  test('leaves the token of all programs as it was; the doctor says which process still uses that', async () => {
    await made('beside')
    // Uses are written down once in ten minutes.
    await clock.jump(day / 24)
    await ask(iris, 'backend', 'say x')
    expect((await runCommand(iris.world, ['doctor'])).stdout).toMatch(
      new RegExp(`the token of all programs was last used on \\S+, by process ${process.pid}`),
    )
  })

  test('is made by its owner in a terminal alone', async () => {
    const cookie = await signIn(iris)
    const page = { cookie, origin: `http://127.0.0.1:${iris.port}` }
    const answer = await post(page, '/api/tokens', { program: 'by-page', teams: 'backend' })
    expect(answer).toMatchObject({ status: 403 })
    expect(await plainHttp(iris.port, 'GET', '/api/tokens', { cookie })).toMatchObject({ status: 200 })
    for (const [input, code] of [
      [{ program: 'Loud', teams: 'backend' }, 'invalid_input'],
      [{ program: 'telegram:1', teams: 'backend' }, 'invalid_input'],
      [{ program: 'a', teams: 'nowhere' }, 'unknown_team'],
      [{ program: 'a', teams: 'backend', role: 'none' }, 'not_found'],
      [{ program: 'a', teams: 'backend', expires: '0d' }, 'invalid_input'],
      [{ program: 'a', teams: 'backend', public: true }, 'invalid_input'],
      [{ program: 'a', teams: 'backend', public: true, role: 'os_agent' }, 'invalid_input'],
      [{ program: 'a', teams: 'backend', public: true, role: 'ci', expires: '91d' }, 'invalid_input'],
      [{ program: 'kept', teams: 'backend' }, 'invalid_input'],
    ] as const)
      await expect(asOwner('create_token', input)).rejects.toMatchObject({ code })
    const message = 'create_token: teams is missing.'
    await expect(asOwner('create_token', { program: 'a' })).rejects.toMatchObject({ message })
  })
})

describe('a token for the public address', () => {
  const away = (headers: Record<string, string>, path = '/api/teams') =>
    plainHttp(iris.port, 'GET', path, { host, 'x-forwarded-for': '192.0.2.7', ...headers })

  test('counts there alone, for the calls of the API', async () => {
    const [there, here] = [await made('there', { role: 'ci', public: true }), await made('here')]
    expect(await away(bearer(there))).toMatchObject({ status: 200 })
    expect(await get(there, '/api/teams')).toMatchObject({ status: 401 })
    expect(await away(bearer(here))).toMatchObject({ status: 401 })
    for (const path of ['/mcp', '/metrics', '/', '/api/logins'])
      expect([403, 404]).toContain((await away(bearer(there), path)).status)
    const { tokens } = await asOwner('list_tokens')
    const [found] = (tokens as { program: string }[]).filter(({ program }) => program === 'there')
    expect(found).toMatchObject({ address: `https://${host}`, role: 'ci' })
  })

  test('is guessed a few times a minute from an address, which keeps no other address out', async () => {
    const token = await made('guessed', { role: 'ci', public: true })
    const from = (address: string) => ({ 'x-forwarded-for': `203.0.113.9, ${address}` })
    for (let guess = 0; guess < 30; guess += 1)
      expect((await away({ ...bearer(`wrong-${guess}`), ...from('198.51.100.1') })).status).toBe(401)
    const refused = await away({ ...bearer(token), ...from('198.51.100.1') })
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } })
    expect(await away({ ...bearer(token), ...from('198.51.100.2') })).toMatchObject({ status: 200 })
  })
})
