import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { theOwner } from '../../src/kernel/call/principal.ts'
import { callAs } from '../support/call-as.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { obedient } from '../support/obedient.ts'
import { type PlainAnswer, plainHttp } from '../support/plain-http.ts'
import { senders } from '../support/senders.ts'
import { spoken } from '../support/world.ts'

const host = 'iris.example.org'
const clock = new JumpingClock({ goesOn: true })
const open = { grantPermission: 'yes', dangerous: true, isolation: 'none' }
const secrets = {
  github: randomBytes(32).toString('hex'),
  standard: `whsec_${randomBytes(32).toString('base64')}`,
  alerts: randomBytes(32).toString('hex'),
}
const secretFile = (name: keyof typeof secrets): string => join(iris.world.root, `${name}.secret`)

/** The message of an event is answered with one word; others are obeyed. */
let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    clock,
    script: (asked) =>
      spoken(asked.conversation.lastUserText).includes('come from outside') ? { text: 'Noted.' } : obedient(asked),
    settings: { publicUrl: `https://${host}` },
    teams: { backend: {}, attacker: open },
  })
  for (const [name, secret] of Object.entries(secrets))
    writeFileSync(join(iris.world.root, `${name}.secret`), `${secret}\n`, { mode: 0o600 })
  iris.world.writeConfig({ triggers: triggers() })
  await iris.event('config-reloaded')
})
afterAll(() => iris[Symbol.asyncDispose]())

const triggers = (more: object = {}) => ({
  github: {
    secretFile: secretFile('github'),
    scheme: 'github',
    team: 'backend',
    thread: 'issue-{{issue.number}}',
    message: 'Somebody opened an issue: {{issue.title}}',
    when: { action: ['opened', 'reopened'] },
    ...more,
  },
  standard: {
    secretFile: secretFile('standard'),
    scheme: 'standard',
    team: 'backend',
    message: 'It happened: {{type}}',
  },
  alerts: { secretFile: secretFile('alerts'), scheme: 'token', team: 'backend', message: 'An alert: {{status}}' },
})

const issue = (number: number, title = `issue ${number}`, action = 'opened') =>
  JSON.stringify({ action, issue: { number, title } })
const post = (name: string, headers: Record<string, string>, body: string, more: Record<string, string> = {}) =>
  plainHttp(iris.port, 'POST', `/in/${name}`, { 'content-type': 'application/json', ...headers, ...more }, body)
const fromGitHub = (body: string, more?: Record<string, string>) =>
  post('github', senders.github(secrets.github, { body }), body, more)
const said = ({ status, body }: PlainAnswer) => ({ status, ...JSON.parse(body || '{}') })
const asked = (name: string) =>
  iris.rows(
    `SELECT turns.id, message, thread FROM turns JOIN team_sessions ON team_sessions.id = session
     WHERE from_team = 'trigger:${name}' ORDER BY sequence`,
  ) as { id: string; message: string; thread: string }[]
const owner = { principal: theOwner, team: undefined, parent: undefined }
const listed = async (name: string) => {
  const { triggers: all } = await callAs(owner, iris, 'list_triggers', {})
  return (all as { trigger: string; requests: Record<string, number> }[]).find(({ trigger }) => trigger === name)!
}

describe('an event', () => {
  test('becomes a message of its own party, by a role, in the thread of its value', async () => {
    const { status, turnId, ...rest } = said(await fromGitHub(issue(1, 'It "breaks"\n')))
    expect({ status, rest }).toEqual({ status: 'accepted', rest: {} })
    expect(asked('github')).toMatchObject([
      {
        id: turnId,
        thread: 'role:chat_bot:issue-1',
        message: expect.stringContaining('\nissue.title: "It \\"breaks\\"\\n"\n'),
      },
    ])
    await iris.event('turn-settled', (event) => event.turnId === turnId)
    expect(await callAs(owner, iris, 'message_status', { turnId })).toMatchObject({ response: 'Noted.' })
  })

  test.each([
    [
      'standard',
      () => senders.standard(secrets.standard, { id: 'm-1', at: clock.now(), body: '{"type":"a.b"}' }),
      '{"type":"a.b"}',
    ],
    ['alerts', () => senders.bearer(secrets.alerts), '{"status":"firing"}'],
    ['alerts', () => senders.gitlab(secrets.alerts), '{"status":"from GitLab"}'],
  ] as const)('of the scheme of %s is taken', async (name, headers, body) => {
    const before = asked(name).length
    expect((await post(name, headers(), body)).status).toBe(202)
    expect(asked(name)).toHaveLength(before + 1)
  })

  test('that comes again is the first message, also after a restart', async () => {
    const first = said(await fromGitHub(issue(2)))
    expect(said(await fromGitHub(issue(2)))).toEqual({ status: 'repeated', turnId: first.turnId })
    const both = await Promise.all([fromGitHub(issue(3)), fromGitHub(issue(3))])
    expect(new Set(both.map((answer) => said(answer).turnId)).size).toBe(1)
    await iris.restart()
    expect(said(await fromGitHub(issue(2)))).toEqual({ status: 'repeated', turnId: first.turnId })
  })

  test('that "when" leaves out is 204, and one without a path is 422; both are counted', async () => {
    const before = await listed('github')
    expect(await fromGitHub(issue(4, 'x', 'closed'))).toMatchObject({ status: 204, body: '' })
    // GitHub sends it when a webhook is made.
    expect(await fromGitHub('{"zen":"Design for failure.","hook_id":1}')).toMatchObject({ status: 204 })
    const lacking = await fromGitHub('{"action":"opened","issue":{"number":5}}')
    expect(lacking).toMatchObject({ status: 422, body: expect.stringContaining('issue.title') })
    expect(await fromGitHub('payload=%7B%7D')).toMatchObject({ status: 422 })
    const { requests } = await listed('github')
    expect(requests['leftOut']! - before.requests['leftOut']!).toBe(2)
    expect(requests['unusable']! - before.requests['unusable']!).toBe(2)
    expect(asked('github').filter(({ thread }) => /issue-[45]$/.test(thread))).toEqual([])
  })

  test('that became no message is in the inbox, once a day', async () => {
    const unusable = async () => expect((await fromGitHub('{"action":"opened","issue":{}}')).status).toBe(422)
    const inInbox = async () => {
      const { rows } = await callAs(owner, iris, 'list_inbox', {})
      const own = (
        rows as { session: { from: string }; items: { kind: string; state: string; subject: string }[] }[]
      ).filter(({ session }) => session.from === 'trigger:github')
      return own.flatMap(({ items }) => items.filter(({ kind }) => kind === 'event'))
    }
    await unusable()
    await unusable()
    const [item, ...others] = await inInbox()
    expect([item, others]).toMatchObject([{ state: 'new' }, []])
    await callAs(owner, iris, 'mark_inbox', { subjects: [item!.subject], state: 'done' })
    await unusable()
    expect(await inInbox()).toEqual([])
  })

  test('comes through the public address too', async () => {
    const forwarded = { host, 'x-forwarded-for': '192.0.2.7' }
    const { status, turnId } = said(await fromGitHub(issue(6), forwarded))
    expect(status).toBe('accepted')
    expect(asked('github').map(({ id }) => id)).toContain(turnId)
    expect(said(await fromGitHub(issue(6)))).toMatchObject({ status: 'repeated', turnId })
    const body = issue(7)
    expect(
      await post('github', senders.github('another secret, as long as that', { body }), body, forwarded),
    ).toMatchObject({
      status: 401,
    })
    // No page of a browser, and nothing else at that path.
    expect((await fromGitHub(issue(8), { ...forwarded, origin: 'https://evil.example' })).status).toBe(403)
    expect((await plainHttp(iris.port, 'GET', '/in/github', forwarded)).status).toBe(401)
  })

  test('of an agent is refused, whatever secret it has found', async () => {
    const body = issue(9)
    const headers = Object.entries(senders.github(secrets.github, { body })).map(
      ([name, value]) => `-H '${name}: ${value}'`,
    )
    const curl = `curl -s ${headers.join(' ')} -d '${body}' http://127.0.0.1:${iris.port}/in/github`
    const { response } = await ask(iris, 'attacker', `run ${curl}`)
    expect(response).toContain('not_allowed')
    const away = curl.replace('curl -s', `curl -s -H 'host: ${host}'`)
    expect((await ask(iris, 'attacker', `run ${away}`)).response).toContain('not_allowed')
    expect(asked('github').filter(({ thread }) => thread.endsWith('issue-9'))).toEqual([])
  })
})

describe('a trigger', () => {
  test('takes nothing when others can read its secret, and says so to its owner alone', async () => {
    chmodSync(secretFile('standard'), 0o644)
    const body = '{"type":"unreadable"}'
    const send = (id: string) =>
      post('standard', senders.standard(secrets.standard, { id, at: clock.now(), body }), body)
    const refused = await send('m-2')
    expect(refused.status).toBe(401)
    expect(await listed('standard')).toMatchObject({ problems: [expect.stringContaining('chmod 600')] })
    chmodSync(secretFile('standard'), 0o600)
    expect((await send('m-3')).status).toBe(202)
    // An unknown name and a bad signature answer the same.
    const unknown = await post('no-such-trigger', {}, body)
    expect([unknown.status, unknown.body]).toEqual([refused.status, refused.body])
    expect(Object.keys(unknown.headers).toSorted()).toEqual(Object.keys(refused.headers).toSorted())
  })
})

describe('two hundred requests that are not right', () => {
  /** A request that never ends. */
  async function half(name: string): Promise<Socket> {
    const socket = connect(iris.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`POST /in/${name} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{"half":`)
    return socket
  }

  test('bring nothing in, and keep nobody out', async () => {
    const before = { github: asked('github').length, standard: asked('standard').length }
    const body = '{"type":"evil"}'
    const good = senders.standard(secrets.standard, { id: 'replayed', at: clock.now(), body })
    const first = said(await post('standard', good, body))
    expect(first.status).toBe('accepted')
    const numbers = Array.from({ length: 40 }, (_, number) => number)
    const halves = await Promise.all(numbers.map(() => half('standard')))
    const [forged, replayed, old, huge] = await Promise.all([
      Promise.all(numbers.map(async (n) => fromForger(n))),
      Promise.all(numbers.map(() => post('standard', good, body))),
      Promise.all(
        numbers.map((n) =>
          post(
            'standard',
            senders.standard(secrets.standard, { id: `old-${n}`, at: clock.now() - 301_000, body }),
            body,
          ),
        ),
      ),
      Promise.all(numbers.map((n) => (n % 2 ? tooLarge() : tooLarge(true)))),
    ])
    // The half-sent ones are open all the while: this one is let in beside them.
    const id = 'let-in'
    const right = said(await post('standard', senders.standard(secrets.standard, { id, at: clock.now(), body }), body))
    expect(right.status).toBe('accepted')
    expect(await ask(iris, 'backend', 'say good day')).toMatchObject({ status: 'completed', response: 'good day' })
    const statuses = (answers: readonly PlainAnswer[]) => [...new Set(answers.map(({ status }) => status))]
    expect([401, 503]).toEqual(expect.arrayContaining(statuses(forged)))
    expect([401, 503]).toEqual(expect.arrayContaining(statuses(old)))
    expect([413, 503]).toEqual(expect.arrayContaining(statuses(huge)))
    // A replay within the allowed time counts as the first message.
    for (const answer of replayed.filter(({ status }) => status === 202))
      expect(said(answer)).toEqual({ status: 'repeated', turnId: first.turnId })
    for (const socket of halves) socket.destroy()
    expect(asked('github')).toHaveLength(before.github)
    expect(asked('standard')).toHaveLength(before.standard + 2)
    expect((await listed('standard')).requests['tooLarge']).toBeGreaterThan(0)
  })

  function fromForger(number: number): Promise<PlainAnswer> {
    const body = issue(1000 + number)
    const all: readonly Record<string, string>[] = [
      {},
      senders.github('', { body }),
      senders.github(secrets.github, { body: `${body} ` }),
      { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
      senders.bearer(secrets.github),
    ]
    return post('github', all[number % 5]!, body)
  }

  /** With its length, or in pieces of which none says how many there are. */
  function tooLarge(inPieces = false): Promise<PlainAnswer> {
    const body = `"${'x'.repeat(1024 * 1024)}"`
    const headers = senders.standard(secrets.standard, { id: 'huge', at: clock.now(), body })
    const more: Record<string, string> = inPieces ? { 'transfer-encoding': 'chunked' } : {}
    return post('standard', headers, body, more).catch(() => ({ status: 413, headers: {}, body: '' }))
  }
})
