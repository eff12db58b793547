import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LineConnection } from '../../src/adapters/client/line-connection.ts'
import { toolCall, toolResult } from '../../src/adapters/client/tool-call.ts'
import { splitRoute } from '../../src/adapters/http/api/operations.ts'
import type { Operation } from '../../src/base/operation/operation.ts'
import { contracts, type OperationName, operationNames } from '../../src/features/contracts.ts'
import { type Asker, rightOf } from '../../src/kernel/call/policy.ts'
import { agentOf, theOwner } from '../../src/kernel/call/principal.ts'
import { publicLink, signInAs } from '../support/browser-login.ts'
import { callAs } from '../support/call-as.ts'
import { refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { plainHttp } from '../support/plain-http.ts'

const host = 'iris.example.org'
const away = { host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }
/** An unknown argument: only those who may call the operation learn that it is wrong. */
const wrong = { nonsense: 1 }

type Try = (name: OperationName) => Promise<string>
type Expected = (name: OperationName) => string

/** What an agent may call that answers by a role with fewer rights than its team: docs/guide/rights.md says it in words. */
const inRole: ReadonlySet<string> = new Set([
  'list_teams',
  'send_message',
  'ask_message',
  'quick_message',
  'get_date',
  'message_status',
  'session_cancel',
  'return_value',
  'chat_reply',
  'chat_react',
  'chat_history',
  'chat_send_file',
])
const as =
  (asker: Asker): Expected =>
  (name) =>
    rightOf(name, asker) === '–' ? 'not_allowed' : 'invalid_input'
const expected: Readonly<Record<string, Expected>> = {
  'no credential': () => 'unauthorized',
  'an agent': as('agent'),
  'an agent in a chat': (name) => (inRole.has(name) ? 'invalid_input' : 'not_allowed'),
  'a program with a token of its own': as('named'),
  'that token at the public address': () => 'unauthorized',
  'a token for the public address': as('named'),
  'that token on this machine': () => 'unauthorized',
  'the token of all programs': as('program'),
  'the token of all programs at the public address': () => 'unauthorized',
  'a program on the home socket': as('program'),
  'a person who only chats': as('viewer'),
  "the owner's telephone": as('owner'),
  "the owner's token": as('owner'),
  "the owner's token at the public address": () => 'unauthorized',
}

/** They come from another machine, where there is no tool. */
const overRoutes = new Set(['a token for the public address', "the owner's telephone"])

let iris: TestIris
let lines: LineConnection
let tries: Record<string, Try>
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', settings: { publicUrl: `https://${host}` }, teams: { backend: {} } })
  await iris.daemon.recovered
  const owner = { principal: theOwner, team: undefined, parent: undefined }
  const made = async (program: string, more: object = {}) => {
    const input = { program, teams: ['backend'], role: 'chat_bot', calls: 5000, ...more }
    return `Bearer ${String((await callAs(owner, iris, 'create_token', input))['token'])}`
  }
  const [here, there] = [await made('here'), await made('there', { public: true })]
  const [shared, owners] = [`Bearer ${iris.token}`, `Bearer ${iris.world.owner()}`]
  const chats = await signInAs(iris, 'ana')
  const telephone = await signInAway()
  const opened = await LineConnection.open({ path: join(iris.world.home, 'daemon.sock'), token: iris.token })
  lines = opened!
  const agent = (role?: string) => called(agentOf('backend', role))
  tries = {
    'no credential': byRoute({}),
    'an agent': agent(),
    'an agent in a chat': agent('chat_bot'),
    'a program with a token of its own': byTool(here),
    'that token at the public address': byRoute({ ...away, authorization: here }),
    'a token for the public address': byRoute({ ...away, authorization: there }),
    'that token on this machine': byRoute({ authorization: there }),
    'the token of all programs': byTool(shared),
    'the token of all programs at the public address': byRoute({ ...away, authorization: shared }),
    'a program on the home socket': bySocket,
    'a person who only chats': byRoute({ cookie: chats, origin: `http://127.0.0.1:${iris.port}` }),
    "the owner's telephone": byRoute({ ...away, cookie: telephone }),
    "the owner's token": byTool(owners),
    "the owner's token at the public address": byRoute({ ...away, authorization: owners }),
  }
})
afterAll(async () => {
  lines.close()
  await iris[Symbol.asyncDispose]()
})

/** Operations that Claude Code itself calls have no route; they are only tools. */
const withRoutes = operationNames.filter((name) => routeOf(name) !== undefined)

test('every operation has a route, but for those that are for agents, bridges and Claude Code alone', () => {
  expect(operationNames.filter((name) => !withRoutes.includes(name))).toEqual([
    'late_answers',
    'return_value',
    'chat_reply',
    'chat_react',
    'chat_send_file',
    'chat_history',
    'session_questions',
    'permissions__approve',
  ])
})

test.each(operationNames)('%s: a credential of each kind may do what docs/guide/rights.md says', async (name) => {
  const isTried = (kind: string): boolean => withRoutes.includes(name) || !overRoutes.has(kind)
  const kinds = Object.keys(expected).filter(isTried)
  const found = await Promise.all(kinds.map(async (kind) => [kind, await tries[kind]!(name)]))
  const wanted = kinds.map((kind) => [kind, expected[kind]!(name)])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
})

function routeOf(name: OperationName) {
  const { routes }: Operation = contracts[name]
  return routes[0] === undefined ? undefined : splitRoute(routes[0])
}

/** Over HTTP as the OpenAPI document has it. Wrong tokens are many here, so each comes from another address. */
function byRoute(headers: Record<string, string>): Try {
  return async (name) => {
    const [method, path] = routeOf(name) ?? (['POST', '/mcp'] as const)
    const place = path.replaceAll(/\{\w+\}/g, 'x')
    const isGet = method === 'GET'
    const given = {
      'content-type': 'application/json',
      ...('host' in headers && { 'x-forwarded-for': `192.0.2.${operationNames.indexOf(name)}` }),
      ...headers,
    }
    const body = isGet ? '' : JSON.stringify(wrong)
    const answer = await plainHttp(iris.port, method, isGet ? `${place}?nonsense=1` : place, given, body)
    const said = JSON.parse(answer.body)
    return said.code ?? said.error.code
  }
}

function byTool(authorization: string): Try {
  const token = authorization.replace('Bearer ', '')
  return async (name) => (await refusal({ port: iris.port, token }, name, wrong)).code
}

async function bySocket(name: OperationName): Promise<string> {
  const answer = await lines.request(toolCall(name, name, wrong as never), new AbortController().signal)
  return codeOf(async () => toolResult(name, answer))
}

function called(principal: ReturnType<typeof agentOf>): Try {
  return (name) => codeOf(() => callAs({ principal, team: 'backend', parent: undefined }, iris, name, wrong))
}

function codeOf(work: () => Promise<unknown>): Promise<string> {
  return work().then(
    () => 'done',
    ({ code }) => code,
  )
}

/** The browser of a telephone, which the owner let in by a link of "iris dashboard --public". */
async function signInAway(): Promise<string> {
  const { search } = new URL(await publicLink(iris))
  const headers = { ...away, 'content-type': 'application/x-www-form-urlencoded' }
  const { headers: answered } = await plainHttp(iris.port, 'POST', '/login', headers, search.slice(1))
  return answered['set-cookie']![0]!.split(';', 1)[0]!
}
