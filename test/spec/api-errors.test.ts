import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authenticationFailure,
  type ModelFailure,
  overloadedFailure,
  rateLimitFailure,
  type Script,
  serverFailure,
} from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { eras } from '../support/mcp-clients.ts'
import { mcpOverHttp } from '../support/mcp-http-client.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const failures: Record<string, ModelFailure> = {
  401: authenticationFailure,
  429: rateLimitFailure,
  500: serverFailure,
  529: overloadedFailure,
}

describe.each(contractVersions)('an API that refuses Claude Code %s', (version) => {
  const refused = new Map<string, number>()

  /** "always 429" is refused each time, "once 429" at the first try only. */
  const script: Script = ({ conversation }) => {
    const message = spoken(conversation.lastUserText)
    const [how, status = ''] = message.split(' ')
    const failure = failures[status]
    const times = refused.get(message) ?? 0
    if (failure === undefined || (how === 'once' && times > 0)) return { text: `answer to ${message}` }
    refused.set(message, times + 1)
    return failure
  }

  let iris: TestIris
  beforeAll(async () => {
    const retries = (count: string) => ({ env: { CLAUDE_CODE_MAX_RETRIES: count } })
    iris = await TestIris.start({
      script,
      teams: { frontend: {}, impatient: retries('0'), patient: retries('1') },
      settings: { claudePath: claudeBinary(version) },
    })
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  const refusals = [
    ['401', 'api_auth', /Invalid API key.*Log in with claude/],
    ['429', 'api_rate_limited', /429.*ask again later/],
    ['500', 'api_error', /API Error: 500 Internal server error.*try again/],
    ['529', 'api_overloaded', /529 Overloaded.*ask again later/],
  ] as const

  test.each(refusals)('with %s fails the turn: %s, in words and with what to do', async (status, reason, detail) => {
    const answer = await ask(iris, 'impatient', `always ${status}`, { fromTeam })
    expect(answer).toMatchObject({ status: 'failed', reason, detail: expect.stringMatching(detail), delivered: true })
    expect(answer).not.toHaveProperty('response')
    expect(answer).not.toHaveProperty('partialResponse')
    expect(refused.get(`always ${status}`)).toBe(1)
    const told = await callTool(iris, 'message_status', { turnId: answer.turnId })
    expect(told).toEqual({ ...answer, tree: expect.anything() })
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test.each(eras)('is an error for a client that speaks MCP %s, never an answer', async (era) => {
    await using client = await mcpOverHttp(era, iris)
    await client.listTools()
    const message = `always 401 ${era}`
    const reply = await client.callTool('send_message', { toTeam: 'impatient', message, fromTeam, timeout: 0 })
    expect(reply).toMatchObject({ isError: true, structuredContent: { status: 'failed', reason: 'api_auth' } })
    expect(reply.structuredContent).not.toHaveProperty('response')
    // To ask how it ended is answered by how it ended.
    const { turnId } = reply.structuredContent as { turnId: string }
    const status = await client.callTool('message_status', { turnId })
    expect(status).toMatchObject({ structuredContent: { status: 'failed', reason: 'api_auth' } })
    expect(status.isError ?? false).toBe(false)
  })

  test('does no harm to the next message', async () => {
    expect(await ask(iris, 'impatient', 'always 500 again', { fromTeam })).toMatchObject({ status: 'failed' })
    const next = await ask(iris, 'impatient', 'still there?', { fromTeam })
    expect(next).toMatchObject({ status: 'completed', response: 'answer to still there?' })
  })

  test.each(['429', '529'])(
    'once with %s: the turn completes at the next try, and whoever waits hears why',
    async (status) => {
      const heard: string[] = []
      const call = { onProgress: (message: string) => heard.push(message) }
      const answer = await ask(iris, 'patient', `once ${status}`, { fromTeam }, call)
      expect(answer).toMatchObject({ status: 'completed', response: `answer to once ${status}` })
      expect(answer).not.toHaveProperty('reason')
      expect(heard).toContainEqual(expect.stringMatching(`The model's API refuses \\(${status}, .*try 1 of 1 follows`))
    },
  )

  test('at every try fails the turn with the same reason', async () => {
    const answer = await ask(iris, 'patient', 'always 529 twice', { fromTeam })
    expect(answer).toMatchObject({ status: 'failed', reason: 'api_overloaded' })
    expect(refused.get('always 529 twice')).toBe(2)
  })
})
