import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, callTool, type Endpoint, refusal } from '../support/call-tool.ts'
import { eras } from '../support/mcp-clients.ts'
import { mcpOverHttp } from '../support/mcp-http-client.ts'
import { sessionEndpointIn, sessionMcpDirectory } from '../support/session-mcp-file.ts'
import { Stage } from '../support/stage.ts'

const enabled = { sessionMcpEnabled: true }

function endpointOf({ iris: { world } }: Stage, team: string, sessionId: string) {
  return sessionEndpointIn(join(sessionMcpDirectory(world, team), `${sessionId}.json`))
}

async function knock({ port, token, path }: Endpoint, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  return { status: response.status, body: await response.text() }
}

describe('the endpoint of a session', () => {
  let stage: Stage
  let sessionId: string
  let endpoint: ReturnType<typeof endpointOf>
  let other: ReturnType<typeof endpointOf>
  beforeAll(async () => {
    stage = await Stage.start({ settings: enabled })
    const [asked, otherwise] = [await ask(stage.iris, 'backend', 'hello'), await ask(stage.iris, 'mobile', 'hello')]
    sessionId = asked.sessionId
    endpoint = endpointOf(stage, 'backend', sessionId)
    other = endpointOf(stage, 'mobile', otherwise.sessionId)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('opens for the token of its process', async () => {
    expect(await knock(endpoint)).toMatchObject({ status: 200, body: expect.stringContaining('send_message') })
  })

  test('stays shut for everybody else, and says the same whether there is such a session or not', async () => {
    const unknown = '/mcp/00000000-0000-4000-8000-000000000000'
    const attempts = [
      await knock({ ...endpoint, token: other.token }),
      await knock({ ...endpoint, token: stage.iris.token }),
      await knock({ ...endpoint, token: `${endpoint.token}x` }),
      await knock({ ...endpoint, token: '' }),
      await knock(endpoint, { authorization: `Basic ${endpoint.token}` }),
      await knock({ ...endpoint, path: unknown }),
      await knock({ ...endpoint, path: unknown, token: 'x' }),
      await knock({ ...endpoint, path: `${endpoint.path}%00` }),
    ]
    expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([401]))
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1)
    expect(attempts[0]?.body).not.toContain(endpoint.token)
    const recorded = stage.iris.rows(`SELECT subject FROM audit WHERE action = 'credential.refused'`)
    expect(recorded).toHaveLength(attempts.length)
    expect(JSON.stringify(recorded)).not.toContain(endpoint.token)
  })

  test('is refused to a page of elsewhere, whatever it holds', async () => {
    expect(await knock(endpoint, { origin: 'https://evil.example' })).toMatchObject({ status: 403 })
  })

  test('its token opens nothing else', async () => {
    expect(await knock({ ...endpoint, path: '/mcp' })).toMatchObject({ status: 401 })
    expect(await knock({ ...endpoint, path: '/stop' })).toMatchObject({ status: 401 })
    expect(await knock({ ...endpoint, path: `${endpoint.path}/more` })).toMatchObject({ status: 401 })
  })

  test('whoever comes through speaks as the team that works there, and nobody can claim otherwise', async () => {
    expect(await ask(endpoint, 'frontend', 'hello')).toMatchObject({ from: 'backend', status: 'completed' })
    const before = stage.iris.rows('SELECT count(*) AS turns FROM turns')
    const spoofed = { toTeam: 'mobile', message: 'hello', fromTeam: 'frontend' }
    expect(await refusal(endpoint, 'send_message', spoofed)).toMatchObject({ code: 'from_mismatch' })
    expect(stage.iris.rows('SELECT count(*) AS turns FROM turns')).toEqual(before)
    const recorded = stage.iris.rows(`SELECT actor, decision FROM audit WHERE action = 'from.mismatch'`)
    expect(recorded).toEqual([{ actor: 'agent:backend', decision: 'refused' }])
  })

  test('has the rights of an agent only', async () => {
    const { turnId } = await ask(stage.iris, 'mobile', 'private', { fromTeam: 'frontend' })
    expect(await refusal(endpoint, 'message_status', { turnId })).toMatchObject({ code: 'unknown_turn' })
    expect(await refusal(endpoint, 'session_delete', { toTeam: 'mobile' })).toMatchObject({ code: 'not_allowed' })
  })

  test.each(eras)('shows a client of MCP %s what an agent has, and the tool for permissions', async (era) => {
    await using client = await mcpOverHttp(era, endpoint, { authorization: `Bearer ${endpoint.token}` }, endpoint.path)
    const names = (await client.listTools()).map(({ name }) => name)
    expect(names).toContain('send_message')
    expect(names).not.toContain('session_delete')
    expect(names.at(-1)).toBe('permissions__approve')
    expect(client.instructions).toBeUndefined()
  })

  test.each([
    ['at all', { tool_name: 'Bash', input: { command: 'rm -rf /' } }],
    ['under that id', { tool_name: 'Bash', input: { command: 'rm -rf /' }, tool_use_id: 'toolu_made_up' }],
  ])('puts no question about a tool that Claude Code has not begun %s', async (_how, args) => {
    expect(await callTool(endpoint, 'permissions__approve', args)).toEqual({
      behavior: 'deny',
      message: expect.stringMatching(/^Claude Code has not begun Bash/),
    })
  })
})

test('an ask through the endpoint belongs to the turn that the process works on', async () => {
  await using stage = await Stage.start({
    script: (file) => ({ rules: [{ when: 'work', steps: [{ partial: 'begun' }, { waitForFile: file('go') }] }] }),
    settings: enabled,
  })
  const parent = ask(stage.iris, 'backend', 'work')
  const parentTurn = await stage.said('begun')
  const { sessionId } = await stage.iris.event('process-spawned')
  const endpoint = endpointOf(stage, 'backend', sessionId)
  const meta = { 'claudecode/toolUseId': 'toolu_1' }
  const { turnId } = await ask(endpoint, 'mobile', 'help', { timeout: -1 }, { meta })
  stage.fake.open('go')
  expect(await parent).toMatchObject({ turnId: parentTurn, status: 'completed' })
  const asked = stage.iris.rows(`SELECT parent_turn, parent_tool_use FROM turns WHERE id = '${turnId}'`)
  expect(asked).toEqual([{ parent_turn: parentTurn, parent_tool_use: 'toolu_1' }])
  await stage.status(turnId, 0)
})

test('a token dies with its process: from then on it is told that the session is not found', async () => {
  await using stage = await Stage.start({ settings: enabled })
  const { sessionId } = await ask(stage.iris, 'backend', 'hello')
  const endpoint = endpointOf(stage, 'backend', sessionId)
  await callTool(stage.iris, 'team_sleep', { team: 'backend' })
  const answer = await knock(endpoint)
  expect(answer.status).toBe(404)
  expect(JSON.parse(answer.body)).toMatchObject({ error: { message: expect.stringMatching(/^Session not found/) } })
  expect(await knock({ ...endpoint, path: '/mcp/another' })).toMatchObject({ status: 401 })
  await ask(stage.iris, 'backend', 'again')
  const next = endpointOf(stage, 'backend', sessionId)
  expect(next.token).not.toBe(endpoint.token)
  expect([(await knock(next)).status, (await knock(endpoint)).status]).toEqual([200, 404])
  await stage.iris.restart()
  expect((await knock({ ...next, port: stage.iris.port })).status).toBe(401)
})

test('on plain /mcp the tool for permissions has no session to ask for, and is not shown', async () => {
  await using stage = await Stage.start()
  const args = { tool_name: 'Bash', input: { command: 'true' }, tool_use_id: 'toolu_1' }
  expect(await callTool(stage.iris, 'permissions__approve', args)).toEqual({
    behavior: 'deny',
    message: expect.stringMatching(/^No session context/),
  })
  await using client = await mcpOverHttp('2025-11-25', stage.iris)
  expect((await client.listTools()).map(({ name }) => name)).not.toContain('permissions__approve')
})
