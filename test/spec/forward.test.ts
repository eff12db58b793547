import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { PermissionView } from '../../src/base/protocol/permission-view.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { answerPermission } from '../support/owner.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { type Respond, signedBy, standardSignature, type Taken, WebhookEndpoint } from '../support/webhook-endpoint.ts'
import { spoken } from '../support/world.ts'

const secret = 'kept between Iris and the endpoint'
const fromTeam = 'frontend'
/** Shorter than the silence after which a process is asked whether it lives. */
const permissionTimeout = 100_000

/** Runs the message as a command and repeats what came of it. */
const runs: Script = ({ conversation: { lastUserText, step, toolResults } }) =>
  step === 0
    ? { toolUses: [{ name: 'Bash', input: { command: spoken(lastUserText), description: 'a step' } }] }
    : { text: `${toolResults.at(-1)?.isError ? 'refused: ' : ''}${toolResults.at(-1)?.text}` }

describe.each(claudeVersions)('a question of Claude Code %s is forwarded', (version) => {
  const clock = new JumpingClock()
  let endpoint: WebhookEndpoint
  let iris: TestIris
  let respond: Respond
  let number = 0
  beforeAll(async () => {
    endpoint = await WebhookEndpoint.start((...reply) => respond(...reply))
    const settings = { claudePath: claudeBinary(version), permissionTimeout }
    const forwardTo = { url: endpoint.url, secret }
    const teams = { frontend: {}, backend: { grantPermission: 'forward', forwardTo } }
    iris = await TestIris.start({ claude: 'fake', script: runs, settings, teams, clock })
  })
  beforeEach(() => {
    endpoint.taken.length = 0
    respond = (response) => response.writeHead(204).end()
  })
  afterAll(async () => {
    await iris[Symbol.asyncDispose]()
    await endpoint[Symbol.asyncDispose]()
  })

  const made = (file: string) => existsSync(join(iris.world.directory('backend'), file))
  const say = (message: string) => ask(iris, 'backend', message, { fromTeam })
  const signed = (body: string, more = {}) =>
    signedBy({ key: secret, id: `id-${++number}`, at: clock.now(), ...more }, body)
  const answerTo = ({ permissionId, inputHash }: Question, decision: string, more = {}) =>
    JSON.stringify({ permissionId, inputHash, decision, ...more })
  const post = (question: Question, body: string, headers = signed(body)) =>
    fetch(question.answerUrl, { method: 'POST', headers, body })
  const request = async () => (await endpoint.message('permission.request')) as unknown as Question

  test('signed as Standard Webhooks says, with everything that is to be known', async () => {
    const answered = say('touch all.txt')
    const question = await request()
    const { headers, body } = endpoint.taken[0] as Taken
    const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])]
    expect(headers['webhook-signature']).toBe(standardSignature(secret, id, timestamp, body))
    expect(Math.abs(Number(timestamp) - clock.now() / 1000)).toBeLessThan(60)
    expect(id).toBe(question.permissionId)
    expect(headers).not.toHaveProperty('authorization')
    expect(question).toMatchObject({
      team: 'backend',
      chain: ['frontend', 'backend'],
      toolName: 'Bash',
      input: { command: 'touch all.txt' },
      shown: expect.stringContaining('touch all.txt'),
      state: 'pending',
      answerUrl: `http://127.0.0.1:${iris.port}/permissions/${question.permissionId}/answer`,
    })
    expect((await post(question, answerTo(question, 'deny'))).status).toBe(200)
    await answered
  })

  test('and a signed answer that comes back lets the tool run; the endpoint hears how it ended', async () => {
    const answered = say('echo done | tee allowed.txt')
    const question = await request()
    expect(made('allowed.txt')).toBe(false)
    const reply = await post(question, answerTo(question, 'allow'))
    const by = `forward:${endpoint.host}`
    const { permissionId } = question
    expect(await reply.json()).toEqual({ status: 'answered', permissionId, state: 'allowed', decidedBy: by })
    expect(await answered).toMatchObject({ status: 'completed', response: 'done' })
    expect(made('allowed.txt')).toBe(true)
    expect(await endpoint.message('permission.resolved')).toMatchObject({
      permissionId,
      state: 'allowed',
      decidedBy: by,
    })
    expect(auditOf(iris, permissionId)).toMatchObject([
      { actor: by, action: 'permission.answered', decision: 'allow', input_hash: question.inputHash },
    ])
  })

  test('and a signed denial reaches the agent with its words', async () => {
    const answered = say('touch denied.txt')
    const question = await request()
    await post(question, answerTo(question, 'deny', { message: 'Not before noon.' }))
    expect(await answered).toMatchObject({
      response: 'refused: Team "backend" may not use Bash: the person who was asked says no: Not before noon.',
    })
    expect(made('denied.txt')).toBe(false)
  })

  test('and the endpoint may answer at once, in its own signed reply', async () => {
    respond = (response, taken) => {
      const { type, data } = JSON.parse(taken.body)
      const body = type === 'permission.request' ? answerTo(data, 'allow') : ''
      response.writeHead(200, body === '' ? {} : signed(body)).end(body)
    }
    expect(await say('echo at once | tee once.txt')).toMatchObject({ response: 'at once' })
    expect(made('once.txt')).toBe(true)
    const { permissionId } = await request()
    expect(auditOf(iris, permissionId)).toMatchObject([{ actor: `forward:${endpoint.host}`, decision: 'allow' }])
  })

  test('and a reply whose signature is wrong decides nothing; the owner may still answer', async () => {
    respond = (response, taken) => {
      const body = answerTo(JSON.parse(taken.body).data ?? {}, 'allow')
      response.writeHead(200, signed(body, { key: `${secret}!` })).end(body)
    }
    const answered = say('touch wrong.txt')
    const question = await request()
    const refused = { action: 'permission.answer_refused', decision: 'refused' }
    await eventually(() => auditOf(iris, question.permissionId).length > 0, 'the refusal is written down')
    expect(auditOf(iris, question.permissionId)).toMatchObject([refused])
    expect(await answerPermission(iris, question, 'deny')).toMatchObject({ status: 'answered' })
    await answered
    expect(made('wrong.txt')).toBe(false)
  })

  test('and an endpoint that takes nothing is a denial, with the reason told and kept', async () => {
    respond = (response) => response.writeHead(500).end('T0SECRET')
    const answered = say('touch down.txt')
    for (const [index, pauseMs] of [1000, 4000, 15_000].entries()) {
      const { taken } = endpoint
      // The pause may also pass on its own.
      const isOver = () => taken.length > index + 1 || (taken.length > index && clock.pending(pauseMs) > 0)
      await eventually(isOver, `attempt ${index + 1}`)
      await clock.jump(pauseMs)
    }
    const why = `the question could not be forwarded to ${endpoint.host}: it answered with the HTTP status 500`
    const message = `Team "backend" may not use Bash: ${why}.`
    expect(await answered).toMatchObject({ status: 'completed', response: `refused: ${message}` })
    expect(made('down.txt')).toBe(false)
    expect(endpoint.taken).toHaveLength(4)
    const [first] = endpoint.taken
    const { permissionId } = JSON.parse(first!.body).data
    expect(endpoint.taken.map(({ headers }) => headers['webhook-id'])).toEqual(Array(4).fill(permissionId))
    expect(auditOf(iris, permissionId)).toMatchObject([
      { actor: 'iris', action: 'permission.denied', decision: 'deny' },
    ])
  })

  test('and silence is a denial; an answer after that has no effect', async () => {
    const answered = say('touch late.txt')
    const question = await request()
    await eventually(() => clock.pending(10_000) === 0, 'the endpoint has taken it')
    await clock.jump(question.deadline - clock.now())
    expect(await answered).toMatchObject({ response: expect.stringContaining('nobody answered within 100 s') })
    const reply = await post(question, answerTo(question, 'allow'))
    expect(reply.status).toBe(409)
    expect(await reply.json()).toMatchObject({ status: 'ended', state: 'timed_out' })
    expect(made('late.txt')).toBe(false)
  })

  test('and of the owner and the endpoint the first counts; the other is told by whom', async () => {
    const answered = say('touch both.txt')
    const question = await request()
    await answerPermission(iris, question, 'deny')
    const reply = await post(question, answerTo(question, 'allow'))
    expect([reply.status, await reply.json()]).toMatchObject([
      409,
      { status: 'already_answered', state: 'denied', decidedBy: 'owner' },
    ])
    await answered
    expect(made('both.txt')).toBe(false)
    expect(await endpoint.message('permission.resolved')).toMatchObject({ state: 'denied', decidedBy: 'owner' })
  })

  test('and nothing else than a fresh signed answer to this very question counts', async () => {
    const answered = say('touch attacked.txt')
    const question = await request()
    const allow = answerTo(question, 'allow')
    const first = endpoint.taken[0] as Taken
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = first.headers
    const iris4xx = async (body: string, headers?: Record<string, string>, target = question) => {
      const reply = await post(target, body, headers ?? signed(body))
      const { error } = (await reply.json()) as { error: { code: string } }
      return [reply.status, error.code]
    }
    const unauthorized = [401, 'unauthorized']
    expect(await iris4xx(allow, {})).toEqual(unauthorized)
    expect(await iris4xx(allow, { authorization: `Bearer ${iris.token}` })).toEqual(unauthorized)
    expect(await iris4xx(allow, signed(allow, { key: `${secret}!` }))).toEqual(unauthorized)
    expect(await iris4xx(allow, signed(allow.replace('allow', 'deny')))).toEqual(unauthorized)
    expect(await iris4xx(allow, signed(allow, { at: clock.now() - 301_000 }))).toEqual(unauthorized)
    expect(await iris4xx(allow, signed(allow, { at: clock.now() + 302_000 }))).toEqual(unauthorized)
    const otherInput = answerTo({ ...question, inputHash: 'f'.repeat(64) }, 'allow')
    expect(await iris4xx(otherInput)).toEqual(unauthorized)
    const otherQuestion = answerTo({ ...question, permissionId: 'f'.repeat(36) }, 'allow')
    expect(await iris4xx(otherQuestion)).toEqual(unauthorized)
    const unknown = { ...question, answerUrl: question.answerUrl.replace(question.permissionId, 'unknown') }
    expect(await iris4xx(allow, signed(allow), unknown)).toEqual(unauthorized)
    // A message that Iris itself signed with the same secret does not count as an answer.
    const own = { 'webhook-id': String(id), 'webhook-timestamp': String(time), 'webhook-signature': String(signature) }
    expect(await iris4xx(first.body, own)).toEqual([400, 'invalid_input'])
    expect(await iris4xx(answerTo(question, 'allow', { scope: 'always' }))).toEqual([400, 'invalid_input'])
    expect(await iris4xx(answerTo(question, 'allow', { scope: 'pair' }))).toEqual([400, 'invalid_input'])
    expect(await iris4xx(answerTo(question, 'allow', { updatedInput: {} }))).toEqual([400, 'invalid_input'])
    expect(await iris4xx(`${allow}${' '.repeat(20_000)}`)).toEqual([413, 'message_too_long'])
    expect((await post(question, allow, { ...signed(allow), origin: 'https://evil.example' })).status).toBe(403)

    const deny = answerTo(question, 'deny')
    const once = signed(deny)
    expect((await post(question, deny, once)).status).toBe(200)
    expect(await iris4xx(deny, once)).toEqual(unauthorized)
    await answered
    expect(made('attacked.txt')).toBe(false)
    const why = `json_extract(detail, '$.why')`
    const reasons = iris.rows(`SELECT DISTINCT ${why} AS why FROM audit WHERE action = 'permission.answer_refused'`)
    expect(reasons.map((row) => row['why'])).toEqual(
      expect.arrayContaining([
        'it is not signed',
        'its signature was not made with the secret of forwardTo',
        'its webhook-timestamp differs from the time here by more than five minutes',
        'it is about another question or another input',
        'no such question is forwarded',
        'its webhook-id was used before',
      ]),
    )
  })

  test('and neither the secret nor the address is anywhere but in config.yaml', () => {
    const told = [
      ...iris.rows('SELECT * FROM team_sessions'),
      ...iris.rows('SELECT * FROM permissions'),
      ...iris.rows('SELECT * FROM audit'),
      ...iris.daemon.parts.recentLog.entries(),
    ]
    expect(told.length).toBeGreaterThan(10)
    const text = JSON.stringify(told)
    expect(text).toContain(endpoint.host)
    for (const hidden of [secret, 'T0SECRET']) expect(text).not.toContain(hidden)
  })
})

const chats = ['slack', 'discord'] as const

describe.each(chats)('a question is forwarded to %s', (format) => {
  test('as a message that says how to answer; a signed answer, posted by whoever has the secret, is taken', async () => {
    await using endpoint = await WebhookEndpoint.start()
    const settings = { forwardTo: { url: endpoint.url, format, secret } }
    const teams = { backend: { grantPermission: 'forward' } }
    await using iris = await TestIris.start({ claude: 'fake', script: runs, settings, teams })
    const answered = ask(iris, 'backend', 'echo from a chat | tee chat.txt')
    const { permission } = await iris.event('permission:request')
    const { headers, body } = await eventually(() => endpoint.taken[0], 'the message')
    const { permissionId, inputHash } = permission
    expect(body).toContain(`iris allow ${permissionId}`)
    expect(body).toContain('echo from a chat | tee chat.txt')
    expect(body).not.toContain(secret)
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
    const answer = JSON.stringify({ permissionId, inputHash, decision: 'allow', scope: 'once' })
    const url = `http://127.0.0.1:${iris.port}/permissions/${permissionId}/answer`
    const signature = signedBy({ key: secret, id: 'one', at: Date.now() }, answer)
    expect((await fetch(url, { method: 'POST', headers: signature, body: answer })).status).toBe(200)
    expect(await answered).toMatchObject({ response: 'from a chat' })
    expect(endpoint.taken).toHaveLength(1)
  })
})

test('where questions go can change while one is being sent', { tags: ['thorough'] }, async () => {
  await using broken = await WebhookEndpoint.start((response) => response.writeHead(503).end())
  await using fixed = await WebhookEndpoint.start()
  const clock = new JumpingClock()
  const backend = { grantPermission: 'forward' }
  const settings = { permissionTimeout, forwardTo: { url: broken.url, secret } }
  await using iris = await TestIris.start({ claude: 'fake', script: runs, settings, teams: { backend }, clock })
  const answered = ask(iris, 'backend', 'touch moved.txt')
  await eventually(() => broken.taken.length > 0, 'an attempt fails')
  iris.world.writeConfig({ settings: { forwardTo: { url: fixed.url, secret } } })
  const question = (await fixed.message('permission.request')) as unknown as Question
  const { permissionId, inputHash, answerUrl } = question
  const attempts = broken.taken.length
  await clock.jump(20_000)

  iris.world.writeConfig({ teams: { backend: { grantPermission: 'ask' } } })
  await iris.event('config-reloaded', ({ keys }) => keys.includes('teams.backend.grantPermission'))
  const body = JSON.stringify({ permissionId, inputHash, decision: 'allow' })
  const headers = signedBy({ key: secret, id: 'late', at: clock.now() }, body)
  expect((await fetch(answerUrl, { method: 'POST', headers, body })).status).toBe(401)
  expect(await answerPermission(iris, question, 'deny')).toMatchObject({ status: 'answered' })
  await answered
  expect(broken.taken).toHaveLength(attempts)
})

test('an agent is not told the secret, and without it answers nothing', async () => {
  await using endpoint = await WebhookEndpoint.start()
  const settings = { forwardTo: { url: endpoint.url, secret } }
  const teams = { backend: { grantPermission: 'forward' }, mobile: { grantPermission: 'yes', dangerous: true } }
  await using iris = await TestIris.start({ claude: 'fake', script: runs, settings, teams })
  const asked = ask(iris, 'backend', 'touch forged.txt')
  const question = (await endpoint.message('permission.request')) as unknown as Question
  const { permissionId, inputHash, answerUrl } = question
  const answer = JSON.stringify({ permissionId, inputHash, decision: 'allow' })
  const forged = JSON.stringify(
    signedBy({ key: 'a guess of thirty-two characters!', id: 'forged', at: Date.now() }, answer),
  )
  const program = `fetch('${answerUrl}', { method: 'POST', headers: ${forged}, body: '${answer}' }).then(async (r) => console.log(r.status, JSON.stringify(process.env)))`
  const said = await ask(
    iris,
    'mobile',
    `'${process.execPath}' -e "$(printf %s '${Buffer.from(program).toString('base64')}' | base64 -d)"`,
  )
  expect(said.response).toMatch(/^40[13] \{/)
  for (const hidden of [secret, 'T0SECRET', 'forwardTo']) expect(said.response).not.toContain(hidden)
  expect(iris.rows(`SELECT state FROM permissions WHERE id = '${permissionId}'`)).toEqual([{ state: 'pending' }])
  await answerPermission(iris, question, 'deny')
  await asked
})

type Question = PermissionView & { readonly answerUrl: string }

function auditOf(iris: TestIris, permissionId: string): Record<string, unknown>[] {
  return iris.rows(`SELECT actor, action, decision, input_hash FROM audit WHERE subject = '${permissionId}'`)
}
