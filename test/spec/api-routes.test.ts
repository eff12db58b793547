import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { contracts, type OperationName } from '../../src/features/contracts.ts'
import {
  type ApiField,
  type ApiRoute,
  answersAsDescribed,
  anyValue,
  routesOf,
  wrongValues,
} from '../support/api-routes.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { questionOf } from '../support/owner.ts'
import { spoken } from '../support/world.ts'

const script: Script = ({ conversation: { lastUserText, toolResults } }) => {
  if (!spoken(lastUserText).startsWith('touch') || toolResults.length > 0) return { text: 'done' }
  return { toolUses: [{ name: 'Bash', input: { command: 'touch x', description: 'as told' } }] }
}

const iris = await TestIris.start({
  claude: 'either',
  script,
  teams: { backend: {}, asking: { grantPermission: 'ask' } },
})
iris.world.writeConfig({
  channels: { shop: { platform: 'telegram', tokenVariable: 'NO_TOKEN', team: 'backend' } },
  callbacks: { ci: { url: 'http://127.0.0.1:9/', secretFile: 'no-secret' } },
  triggers: { nightly: { secretFile: 'none', scheme: 'token', team: 'backend', message: 'Look.' } },
})
await iris.event('config-reloaded')
afterAll(() => iris[Symbol.asyncDispose]())

/** Turns that are going to change by themselves: those that wait for a person do not. */
const running = `SELECT id FROM turns WHERE state <> 'settled'
  AND id NOT IN (SELECT turn FROM permissions WHERE state = 'pending' AND turn IS NOT NULL)`

type Who = 'program' | 'owner'
type Json = Record<string, unknown>

async function send(who: Who, method: string, address: string, body?: string) {
  const token = who === 'owner' ? iris.world.owner() : iris.token
  const response = await fetch(`http://127.0.0.1:${iris.port}${address}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  })
  const type = response.headers.get('content-type')
  return { status: response.status, type, body: (await response.json()) as Json }
}

const description = await send('program', 'GET', '/api/openapi.json')
const described = routesOf(description.body as unknown as Parameters<typeof routesOf>[0], Object.keys(contracts))
const isAsDescribed = answersAsDescribed(description.body)
/** These need another host or an open session, which test/spec/many-machines-live.test.ts and live.test.ts have. */
const ofCluster: ReadonlySet<string> = new Set([
  'forget_host',
  'forget_unreachable_hosts',
  'keep_servers',
  'drain_host',
  'leave_cluster',
  'promote_turn',
])
const routes = described.filter(({ name }) => !ofCluster.has(name))

const attachments = [{ name: 'note.txt', data: 'aGVsbG8=' }]
const { turnId, sessionId } = await ask(iris, 'backend', 'hello', { attachments })
const failed = await ask(iris, 'backend', 'hello', { thread: 'failed' })
iris.change(`UPDATE turns SET outcome = 'failed', answer = NULL WHERE id = '${failed.turnId}'`)
await ask(iris, 'asking', 'touch it', { timeout: -1 })
const { permissionId } = await questionOf(iris, 'asking')
const viewed = { team: 'backend', conversation: 'first', message: 'hello' }
const { body: own } = await send('owner', 'POST', '/api/viewer/messages', JSON.stringify(viewed))
const config = readFileSync(join(iris.world.home, 'config.yaml'), 'utf8')
let made = 0
const question = 'Where is the orders endpoint defined?'
for (const thread of ['once', 'twice']) await ask(iris, 'backend', question, { fromTeam: 'asking', thread })

/** Example values for fields that are only described as text, by name. */
const values: Readonly<Record<string, () => unknown>> = {
  agentName: () => 'general-purpose',
  callback: () => 'ci',
  channel: () => 'shop',
  conversation: () => 'first',
  hash: async () => (await send('owner', 'GET', '/api/config')).body['hash'],
  loginId: () => 'all',
  message: () => 'hello',
  newThread: () => `copy-${++made}`,
  permissionId: () => permissionId,
  program: async () => {
    const program = `program-${++made}`
    await send('owner', 'POST', '/api/tokens', JSON.stringify({ program, teams: 'backend' }))
    return program
  },
  prompt: () => 'hello',
  query: () => 'hello',
  sessionId: () => sessionId,
  since: () => Date.now() - 86_400_000,
  subjects: () => [`failed:${failed.turnId}`],
  suggestionId: async () => {
    const { askedTwice } = (await send('owner', 'GET', '/api/insight/reflection')).body as {
      askedTwice: { suggestionId: string }[]
    }
    return askedTwice[0]?.suggestionId ?? 'decided'
  },
  team: () => 'backend',
  teams: () => 'backend',
  text: () => config,
  toTeam: () => 'backend',
  event: () => ({}),
  trigger: () => 'nightly',
  turnId: () => turnId,
  who: () => '42',
}

/** Inputs that no required field asks for but that are still needed. */
const besides: Partial<Record<OperationName, Json>> = {
  answer_permission: { decision: 'deny' },
  change_channel: { action: 'allow' },
  create_token: { program: 'first-program' },
  get_agent: { team: 'backend' },
  get_attachment: { number: 1 },
  debug_session: { team: 'backend' },
  mark_inbox: { state: 'done' },
  retry_message: { turnId: failed.turnId },
  dismiss_failure: { turnId: failed.turnId },
  revoke_rule: { grant: 1 },
  decide_suggestion: { decision: 'refuse' },
  session_cancel: { turnId },
  viewer_stop: { turnId: own.turnId },
  session_delete: { team: 'backend' },
  session_reboot: { team: 'backend' },
  session_attach: { team: 'backend' },
  session_report: { team: 'backend' },
  replay_callback: { since: Date.now() },
  list_schedules: {},
  get_usage: {},
  find_patterns: {},
  list_drift: {},
  reflect: {},
  list_healings: {},
  stats_over_time: { since: Date.now() - 86_400_000 },
}

const operationOf = ({ name }: ApiRoute): OperationName => name.replace(/_\d+$/, '') as OperationName

async function valueFor(route: ApiRoute, { name, schema }: ApiField): Promise<unknown> {
  const value = anyValue(schema) ?? (await values[name]?.())
  if (value !== undefined) return value
  throw new Error(
    `${route.method} ${route.path} asks for "${name}", and this test knows none: add one to \`values\` in test/spec/api-routes.test.ts.`,
  )
}

/** A call that is right, with nothing but what is needed. */
async function rightCall(route: ApiRoute): Promise<Json> {
  const call: Json = {}
  for (const field of route.fields) if (field.isRequired) call[field.name] = await valueFor(route, field)
  return { ...call, ...besides[operationOf(route)] }
}

function make(who: Who, { method, path, fields }: ApiRoute, given: Json) {
  const rest = { ...given }
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]))
    delete rest[name]
    return value
  })
  if (method === 'POST') return send(who, method, address, JSON.stringify(rest))
  const query = Object.entries(rest).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}=${encodeURIComponent(String(each))}`),
  )
  return send(who, method, fields.length === 0 && query.length === 0 ? address : `${address}?${query.join('&')}`)
}

const aProblem = {
  type: expect.stringMatching(/^urn:iris:error:\w+$/),
  title: expect.any(String),
  status: expect.any(Number),
  detail: expect.stringMatching(/\.$/),
  code: expect.any(String),
  remedy: expect.stringMatching(/\.$/),
}

function expectRefused(answer: Awaited<ReturnType<typeof send>>, statuses: readonly number[], what: string): void {
  const { type, status, body } = answer
  expect({ what, type, status: statuses.includes(status) ? 'as it should be' : status, body }).toEqual({
    what,
    type: 'application/problem+json',
    status: 'as it should be',
    body: expect.objectContaining({ ...aProblem, status }),
  })
}

/** All that Iris keeps but the record of who did what. */
function kept(): Record<string, unknown> {
  const tables = iris.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'audit%'")
  const rows = tables.map(({ name }) => [name, iris.rows(`SELECT * FROM "${name}"`)])
  return { ...Object.fromEntries(rows), config: readFileSync(join(iris.world.home, 'config.yaml'), 'utf8') }
}

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_title, route) => {
  const { access, fields } = route
  const isOwners = access === 'owner' || access === 'viewer'
  const least: Who = isOwners ? 'owner' : 'program'

  test('refuses what is wrong with a problem that says what to do, and changes nothing', async () => {
    const right = await rightCall(route)
    await eventually(() => iris.rows(running).length === 0, 'what earlier calls began ends')
    const before = kept()
    for (const field of fields) {
      for (const [what, value] of Object.entries(wrongValues(field))) {
        // Any text is a valid query, which finds nothing.
        const statuses = field.in === 'path' ? [400, 404] : [400]
        expectRefused(await make(least, route, { ...right, [field.name]: value }), statuses, `${field.name} is ${what}`)
      }
      if (!field.isRequired) continue
      const { [field.name]: _left, ...without } = right
      const missing = field.in === 'path' ? { ...right, [field.name]: 'no-such-thing' } : without
      expectRefused(await make(least, route, missing), field.in === 'path' ? [400, 404] : [400], `no ${field.name}`)
    }
    expectRefused(await make(least, route, { ...right, noSuchField: 1 }), [400], 'a field too many')
    if (route.method === 'POST') {
      const address = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(right[name]))
      for (const text of ['{', '[1]', '"x"', 'null', '7']) {
        expectRefused(await send(least, 'POST', address, text), [400], `the body ${text}`)
      }
    }
    expect(kept()).toEqual(before)
  })

  test('does what it is for, for whoever may ask for it', async () => {
    for (const who of isOwners ? (['owner'] as const) : (['program', 'owner'] as const)) {
      const right = await rightCall(route)
      // Each finds a conversation, whatever the last one did with it.
      if (!isOwners) await ask(iris, 'backend', 'hello')
      const answer = await make(who, route, right)
      expect({ who, answer }).toMatchObject({
        answer: { status: expect.toBeOneOf([200, 202]), type: 'application/json' },
      })
      expect(contracts[operationOf(route)].output.safeParse(answer.body).error?.issues).toBeUndefined()
      expect(isAsDescribed(route, answer)).toEqual([])
    }
  })

  if (!isOwners) return
  test('is not for programs, and changes nothing for one', async () => {
    const right = await rightCall(route)
    await eventually(() => iris.rows(running).length === 0, 'what earlier calls began ends')
    const before = kept()
    expectRefused(await make('program', route, right), [403], 'a program')
    expect(kept()).toEqual(before)
  })
})

test('after all that Iris is as well as before, and no call has met an error of its own', async () => {
  expect(await send('program', 'GET', '/health')).toMatchObject({ status: 200 })
  const { body } = await send('owner', 'GET', '/api/logs?level=error')
  expect(body).toMatchObject({ logs: [] })
  expect(described.map(operationOf)).toEqual(expect.arrayContaining(Object.keys(contracts).filter(hasRoute)))
})

function hasRoute(name: string): boolean {
  return contracts[name as OperationName].routes.length > 0
}

test('a body with millions of levels is refused before it is parsed', async () => {
  const { status, body } = await send('program', 'POST', '/api/teams/tell', `${'['.repeat(1e6)}${']'.repeat(1e6)}`)
  expect({ status, body }).toMatchObject({ status: 400, body: { detail: 'The body has more than 500 levels.' } })
})
