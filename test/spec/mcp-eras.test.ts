import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { type Deferred, deferred } from '../../src/base/lib/deferred.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { eras } from '../support/mcp-clients.ts'
import { type ClientCall, type HttpClient, mcpOverHttp, type ToolReply } from '../support/mcp-http-client.ts'
import { pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'
import { isBrief } from '../support/tier.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const gates = new Map<string, Deferred<void>>()

function gate(message: string): Deferred<void> {
  const known = gates.get(message) ?? deferred<void>()
  gates.set(message, known)
  return known
}

/** A message that begins with "hold" is answered once its gate is open. */
const script: Script = async ({ conversation }) => {
  const message = spoken(conversation.lastUserText)
  if (message.startsWith('hold')) await gate(message).promise
  return { text: `answer to ${message}` }
}

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'either', script })
})
afterAll(() => iris[Symbol.asyncDispose]())

const isAsked = (message: string) =>
  eventually(
    () => iris.world.model.requests.recent.some(({ conversation }) => spoken(conversation.lastUserText) === message),
    `the model is asked "${message}"`,
  )

describe.each(eras)('a client that speaks MCP %s over HTTP', (era) => {
  let client: HttpClient
  beforeAll(async () => {
    client = await mcpOverHttp(era, iris)
    await client.listTools()
  })
  afterAll(() => client[Symbol.asyncDispose]())

  test('is answered in its own protocol', () => {
    expect(client.protocolVersion).toBe(era)
    expect(client.instructions).toContain('list_teams')
  })

  test('is shown every tool, with schemas for both directions, annotations, and a description under 2 KB', async () => {
    const tools = await client.listTools()
    const shown = (name: string, readOnlyHint: boolean) => ({
      name,
      title: expect.stringMatching(/^[A-Z]/),
      description: expect.stringMatching(/\.$/),
      inputSchema: expect.objectContaining({ type: 'object', properties: expect.any(Object) }),
      outputSchema: expect.objectContaining({ type: 'object', required: expect.any(Array) }),
      annotations: expect.objectContaining({ title: expect.any(String), readOnlyHint, openWorldHint: false }),
    })
    expect(tools).toMatchObject([
      shown('list_teams', true),
      shown('team_status', true),
      shown('team_wake', false),
      shown('team_launch', false),
      shown('team_wake_all', false),
      shown('team_sleep', false),
      shown('session_fork', false),
      shown('send_message', false),
      shown('ask_message', false),
      shown('quick_message', false),
      shown('message_status', true),
      shown('session_wait', true),
      shown('notify', false),
      shown('session_report', true),
      shown('list_sessions', true),
      shown('session_stats', true),
      shown('session_cancel', false),
      shown('session_reboot', false),
      shown('session_delete', false),
      shown('get_logs', true),
      shown('get_date', true),
      shown('get_agent', true),
      shown('list_agents', true),
      shown('invoke_agent', false),
    ])
    const long = tools.filter(({ description = '' }) => Buffer.byteLength(description) >= 2048)
    expect(long).toEqual([])
  })

  // `npm test` calls every tool in the newer era only: the results are made by the same code.
  test.each([era].filter((each) => !isBrief || each === eras.at(-1)))(
    'gets from every tool a result that is as its schema says, as structure and as the same in text',
    async () => {
      const pair = { team: 'backend', fromTeam }
      const message = { toTeam: 'backend', fromTeam, message: `hello ${era}`, timeout: 0 }
      const sent = await client.callTool('send_message', message)
      const turnId = sent.structuredContent!['turnId']
      const replies: ToolReply[] = [
        sent,
        await client.callTool('list_teams'),
        await client.callTool('team_status'),
        await client.callTool('ask_message', { ...message, raw: true }),
        await client.callTool('quick_message', { toTeam: 'backend', fromTeam, message: 'quick' }),
        await client.callTool('message_status', { turnId, timeout: 0 }),
        await client.callTool('session_wait', { team: 'backend', timeout: 0 }),
        await client.callTool('team_sleep', { ...pair, force: true }),
        await client.callTool('team_wake', pair),
        await client.callTool('team_launch', pair),
        await client.callTool('team_wake_all', { fromTeam }),
        await client.callTool('session_fork', {
          toTeam: 'backend',
          fromTeam,
          newThread: `fork ${era}`.replaceAll(/[^a-z0-9]/g, '-'),
        }),
        await client.callTool('session_report', pair),
        await client.callTool('list_sessions', { status: 'all' }),
        await client.callTool('session_stats', { since: 0 }),
        await client.callTool('session_cancel', pair),
        await client.callTool('session_reboot', pair),
        await client.callTool('session_delete', pair),
        await client.callTool('get_logs', { getAllStores: true }),
        await client.callTool('get_date'),
        await client.callTool('get_agent', { agentType: 'debugger', team: 'backend' }),
        await client.callTool('list_agents', { team: 'backend' }),
        await client.callTool('invoke_agent', {
          team: 'backend',
          agentName: 'general-purpose',
          prompt: 'hello',
          timeout: 0,
        }),
      ]
      for (const { isError, structuredContent, content } of replies) {
        expect(isError ?? false).toBe(false)
        expect(JSON.parse(content[0]!.text!)).toEqual(structuredContent)
      }
      expect(sent.structuredContent).toMatchObject({ status: 'completed', response: `answer to hello ${era}` })
      const tree = { used: expect.objectContaining({ turns: 1 }) }
      expect(replies[5]!.structuredContent).toEqual({ ...sent.structuredContent, tree })
    },
  )

  test('makes calls side by side and hears how each goes on', async () => {
    const [first, second] = [`hold ${era} 1`, `hold ${era} 2`]
    const heard: string[] = []
    const call = { onProgress: (said: string) => heard.push(said) }
    const send = (toTeam: string, message: string) =>
      client.callTool('send_message', { toTeam, message, fromTeam, timeout: 0 }, call)
    const asked = [send('backend', first), send('mobile', second)]
    await Promise.all([isAsked(first), isAsked(second)])
    expect((await client.callTool('get_date')).structuredContent).toHaveProperty('iso')
    for (const message of [first, second]) gate(message).resolve()
    const answers = (await Promise.all(asked)).map(({ structuredContent }) => structuredContent)
    expect(answers).toMatchObject([{ response: `answer to ${first}` }, { response: `answer to ${second}` }])
    expect(heard.filter((said) => said === 'Claude Code has begun to work on it.')).toHaveLength(2)
  })

  test('takes a call back without harm to the turn', async () => {
    const message = `hold ${era} 3`
    const send = (call: ClientCall = {}) =>
      client.callTool(
        'send_message',
        { toTeam: 'backend', message, fromTeam, timeout: 0, idempotencyKey: message },
        call,
      )
    const leaving = new AbortController()
    const left = send({ signal: leaving.signal }).catch((error: unknown) => error)
    await isAsked(message)
    leaving.abort()
    expect(await left).toBeInstanceOf(Error)
    gate(message).resolve()
    expect((await send()).structuredContent).toMatchObject({ status: 'completed', response: `answer to ${message}` })
    expect(iris.rows(`SELECT id FROM turns WHERE message = '${message}'`)).toHaveLength(1)
  })

  test('is told what was wrong with a call: code, sentence, remedy', async () => {
    const wrong = async (name: string, args: Record<string, unknown>) => {
      const { isError, content, structuredContent } = await client.callTool(name, args)
      expect({ isError, structuredContent }).toEqual({ isError: true, structuredContent: undefined })
      return JSON.parse(content[0]!.text!).error
    }
    expect(await wrong('send_message', { toTeam: 'backnd', message: 'x' })).toEqual({
      code: 'unknown_team',
      message: 'There is no team "backnd".',
      remedy: 'Did you mean "backend"? Teams: frontend, backend, mobile.',
    })
    expect(await wrong('send_message', { toTeam: 'backend' })).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('message'),
    })
    expect(await wrong('get_date', { zone: 'UTC' })).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('zone'),
    })
    expect(await wrong('no_such_tool', {})).toMatchObject({
      code: 'invalid_input',
      message: 'There is no tool "no_such_tool".',
    })
    expect(await wrong('teams_ask', {})).toMatchObject({ remedy: 'It is called ask_message now.' })
    expect(await wrong('send_mesage', {})).toMatchObject({ remedy: 'Did you mean send_message? See tools/list.' })
    const nobody = { toTeam: 'backend', message: ' ', fromTeam: null }
    expect(await wrong('send_message', nobody)).toMatchObject({ code: 'message_empty' })
  })

  test.each([
    ['without a token', {}],
    ['with a wrong one', { authorization: 'Bearer wrong' }],
    ['with the right one in another scheme', { authorization: 'Basic TOKEN' }],
  ])('is not let in %s', async (_how, headers: Record<string, string>) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('TOKEN', iris.token)]),
    )
    await expect(mcpOverHttp(era, iris, sent)).rejects.toThrow(/401|unauthorized/i)
  })
})

test.each(claudeVersions)('Claude Code %s asks over HTTP, and waits for a team that is slow', async (version) => {
  const message = `hold ${version}`
  const input = { toTeam: 'backend', fromTeam, message, timeout: 0 }
  await using asker = await pinWorld(version, ({ conversation }) => {
    const said = conversation.toolResults.at(-1)?.text ?? ''
    if (said.startsWith('{')) return { text: `backend says: ${said}` }
    // 2.1.197 begins the turn before a slow server has named its tools, and tells the model to wait.
    const isEarly = said.includes('still connecting')
    return {
      toolUses: [isEarly ? { name: 'WaitForMcpServers', input: {} } : { name: 'mcp__iris__send_message', input }],
    }
  })
  const server = {
    type: 'http',
    url: `http://127.0.0.1:${iris.port}/mcp`,
    headers: { Authorization: `Bearer ${iris.token}` },
  }
  const cli = asker.start({ args: ['--mcp-config', JSON.stringify({ mcpServers: { iris: server } })] })
  const asked = cli.turn('ask backend')
  await isAsked(message)
  gate(message).resolve()
  const result = (await asked).at(-1)!
  expect(String(result.result)).toMatch(/^backend says: /)
  expect(JSON.parse(String(result.result).slice('backend says: '.length))).toMatchObject({
    status: 'completed',
    from: 'frontend',
    response: `answer to ${message}`,
  })
})

/** A client of the 2025 era that sends raw requests, with the session id that it was given. */
async function rawClient() {
  const send = (body: object, session?: string) =>
    fetch(`http://127.0.0.1:${iris.port}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${iris.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    })
  const clientInfo = { name: 'raw', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const begun = await send({ id: 0, method: 'initialize', params })
  await begun.text()
  const session = begun.headers.get('mcp-session-id') ?? undefined
  const cancel = async (as = session): Promise<number> => {
    const { status } = await send({ method: 'notifications/cancelled', params: { requestId: 7 } }, as)
    return status
  }
  const ask = async (message: string, as = session) => {
    const input = { toTeam: 'backend', fromTeam, thread: message.replaceAll(' ', '-'), message, timeout: 0 }
    const response = await send({ id: 7, method: 'tools/call', params: { name: 'send_message', arguments: input } }, as)
    return response.text()
  }
  return { session, ask, cancel }
}

test('a call over HTTP that its client cancels in another request gets no answer, and nobody else loses his', async () => {
  const [one, other] = [await rawClient(), await rawClient()]
  expect(one.session).toMatch(/^[0-9a-f-]{36}$/)
  expect(other.session).not.toBe(one.session)
  const [left, kept] = [one.ask('hold cancelled'), other.ask('hold kept')]
  await Promise.all([isAsked('hold cancelled'), isAsked('hold kept')])
  // Neither a client without a session id, nor one of an earlier daemon: it cannot be known whose call is meant.
  for (const session of ['', 'of-a-former-daemon']) expect(await other.cancel(session)).toBe(202)
  expect(await one.cancel()).toBe(202)
  expect(await left).not.toContain('"id":7')
  for (const message of ['hold cancelled', 'hold kept']) gate(message).resolve()
  expect(await kept).toContain('answer to hold kept')
  // The message itself continues.
  const settled = () => iris.rows(`SELECT outcome FROM turns WHERE message = 'hold cancelled'`)
  await eventually(() => settled()[0]?.['outcome'] === 'completed', 'the message is answered')
  expect(await one.ask('once more', 'of-a-former-daemon')).toContain('answer to once more')
})
