import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelRequest, Script } from '../../src/app/demo/script.ts'
import { callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { writeFiles } from '../support/project-tree.ts'
import { spoken } from '../support/world.ts'

const systemText = ({ body }: ModelRequest): string => JSON.stringify(body)

/** Tells who it is, which model and tools it has, and how often it has been spoken to in this conversation. */
const tells: Script = async (request) => {
  const { lastUserText, userTexts, toolResults, step } = request.conversation
  const said = spoken(lastUserText)
  if (said === 'have it reviewed' && step === 0) {
    const input = { agentName: 'reviewer', prompt: 'review', timeout: 0 }
    return { toolUses: [{ name: 'mcp__iris__invoke_agent', input }] }
  }
  if (step > 0) return { text: `got ${JSON.parse(toolResults.at(-1)!.text).response}` }
  if (said === 'wait') await holding
  const who = systemText(request).includes('You are THE REVIEWER.') ? 'reviewer' : 'nobody'
  const messages = userTexts.filter((text) => text.includes('<iris-message')).length
  return {
    text: `${who} ${/haiku|opus|sonnet/.exec(String(request.body['model']))?.[0]} ${messages} ${tools(request)}`,
  }
}

function tools({ body }: ModelRequest): string {
  const names = (body['tools'] as { name: string }[]).map(({ name }) => name)
  // The CLI's own, beside tools that it hides behind a search.
  return names
    .filter((name) => name !== 'DeferredToolPlaceholder')
    .toSorted()
    .join('+')
}

let holding: Promise<void> = Promise.resolve()
let iris: TestIris
const place = () => join(iris.world.directory('backend'), '.claude/agents/reviewer.md')
const definition =
  '---\nname: reviewer\ndescription: Reviews\ntools: Read, Grep\nmodel: haiku\n---\nYou are THE REVIEWER.\n'

/** Starts Iris for the tests of a group. */
function withIris(claude: 'real' | 'either'): void {
  beforeAll(async () => {
    iris = await TestIris.start({ claude, script: tells, teams: { frontend: {}, backend: { model: 'opus' } } })
    writeFiles(iris.world.directory('backend'), { '.claude/agents/reviewer.md': definition })
  })
  afterAll(() => iris[Symbol.asyncDispose]())
}

const invoke = (prompt: string, more: object = {}) =>
  callTool(iris, 'invoke_agent', { agentName: 'reviewer', team: 'backend', prompt, timeout: 0, ...more })

describe.each([
  ['the real Claude Code', 'real'],
  ['either', 'either'],
] as const)('with %s', (_name, claude) => {
  withIris(claude)

  test('the agents of a project are its own, the user’s and those built in', async () => {
    const { agents } = (await callTool(iris, 'list_agents', { team: 'backend' })) as { agents: { name: string }[] }
    expect(agents).toContainEqual({ name: 'reviewer', description: 'Reviews', model: 'haiku' })
    expect(agents.map(({ name }) => name)).toContain('general-purpose')
    const others = (await callTool(iris, 'list_agents', { team: 'frontend' })) as { agents: { name: string }[] }
    expect(others.agents.map(({ name }) => name)).not.toContain('reviewer')
  })

  test('an agent answers with its own words, model and tools, in a thread of its own, with a transcript', async () => {
    const answer = await invoke('review', { fromTeam: 'frontend' })
    expect(answer).toMatchObject({
      status: 'completed',
      response: 'reviewer haiku 1 Grep+Read',
      agentName: 'reviewer',
      from: 'frontend',
      to: 'backend',
      thread: 'agent:reviewer',
      outputDirectory: join(iris.world.home, 'output_streams', String(answer['sessionId'])),
    })
    const directory = String(answer['outputDirectory'])
    const written = () => JSON.parse(readFileSync(join(directory, 'conversation.json'), 'utf8'))
    const isWhole = () => {
      try {
        return Boolean(written())
      } catch {
        return false
      }
    }
    await eventually(isWhole, 'the conversation is written')
    expect(written().agentName).toBe('reviewer')
    expect(readFileSync(join(directory, 'stream.log'), 'utf8')).toContain('Agent: reviewer\n')
  })
})

describe('what Iris does with agents', () => {
  withIris('either')

  test('a process that runs is asked which agents there are, with the time it looked; a change of files or refresh looks again', async () => {
    const starts = () => iris.rows('SELECT COUNT(*) AS n FROM team_sessions')[0]!['n']
    await callTool(iris, 'team_wake', { team: 'frontend', fromTeam: 'backend' })
    const { at } = await iris.event('process-spawned', ({ to }) => to === 'frontend')
    const before = starts()
    const list = (more: object) => callTool(iris, 'list_agents', { team: 'frontend', ...more })
    const warm = await list({})
    expect(warm['asOf']).toBeLessThan(at)
    writeFiles(iris.world.directory('frontend'), {
      '.claude/agents/helper.md': definition.replaceAll('reviewer', 'helper'),
    })
    const changed = await list({})
    expect(JSON.stringify(changed['agents'])).toContain('helper')
    expect(changed['asOf']).toBeGreaterThan(warm['asOf'] as number)
    rmSync(join(iris.world.directory('frontend'), '.claude/agents'), { recursive: true })
    expect(JSON.stringify((await list({}))['agents'])).not.toContain('helper')
    // Those of a directory above count for all projects in it.
    writeFiles(dirname(iris.world.directory('frontend')), {
      '.claude/agents/above.md': definition.replaceAll('reviewer', 'above'),
    })
    expect(JSON.stringify((await list({}))['agents'])).toContain('above')
    const plugged = (await list({}))['asOf'] as number
    writeFiles(iris.world.claudeDirectory, { 'plugins/installed_plugins.json': '{"version":2,"plugins":{}}' })
    expect((await list({}))['asOf']).toBeGreaterThan(plugged)
    const fresh = await list({ refresh: true })
    expect(fresh['asOf']).toBeGreaterThan(changed['asOf'] as number)
    // What was learnt again is said from then on.
    expect(await list({})).toEqual(fresh)
    expect(starts()).toBe(before)
    await callTool(iris, 'team_sleep', { team: 'frontend', fromTeam: 'backend' })
  })

  test('each call starts over; an earlier one is taken up by its id, also after a restart', async () => {
    const first = await invoke('one')
    const second = await invoke('two')
    expect(second['sessionId']).not.toBe(first['sessionId'])
    expect(second['response']).toContain('haiku 1')
    const again = await invoke('more of one', { continueSessionId: first['sessionId'] })
    expect(again).toMatchObject({ sessionId: first['sessionId'], response: 'reviewer haiku 2 Grep+Read' })
    expect(again).not.toHaveProperty('contextReset')
    await iris.restart()
    const later = await invoke('more of two', { continueSessionId: second['sessionId'] })
    expect(later).toMatchObject({ sessionId: second['sessionId'], response: 'reviewer haiku 2 Grep+Read' })
    const more = await invoke('still more of two', { continueSessionId: second['sessionId'] })
    expect(more).toMatchObject({ sessionId: second['sessionId'], response: 'reviewer haiku 3 Grep+Read' })
  })

  test('another model is used when asked for, and stays with the conversation', async () => {
    const answer = await invoke('one', { model: 'opus' })
    expect(answer['response']).toBe('reviewer opus 1 Grep+Read')
    await iris.restart()
    const next = await invoke('two', { continueSessionId: answer['sessionId'] })
    expect(next['response']).toBe('reviewer opus 2 Grep+Read')
    const changed = await invoke('three', { continueSessionId: answer['sessionId'], model: 'sonnet' })
    expect(changed).toMatchObject({ sessionId: answer['sessionId'], response: 'reviewer sonnet 3 Grep+Read' })
  })

  test('calls at once each have a conversation of their own', async () => {
    const hold = Promise.withResolvers<void>()
    holding = hold.promise
    const calls = [invoke('wait'), invoke('wait'), invoke('wait')]
    await iris.event('turn-delivered', ({ thread }) => thread === 'agent:reviewer@3')
    hold.resolve()
    const answers = await Promise.all(calls)
    expect(answers.map(({ response }) => response)).toEqual(Array(3).fill('reviewer haiku 1 Grep+Read'))
    expect(new Set(answers.map(({ sessionId }) => sessionId)).size).toBe(3)
  })

  test('a repeated call is the same turn', async () => {
    const first = await invoke('one', { idempotencyKey: 'k' })
    expect(await invoke('one', { idempotencyKey: 'k' })).toMatchObject({ turnId: first['turnId'] })
  })

  test('a team has its own agents work for it', async () => {
    const answer = await callTool(iris, 'send_message', { toTeam: 'backend', message: 'have it reviewed', timeout: 0 })
    expect(answer).toMatchObject({ status: 'completed', response: 'got reviewer haiku 1 Grep+Read' })
  })

  test.each([
    ['an agent that nobody knows', { agentName: 'reviewr' }, 'unknown_agent', /no agent "reviewr".*reviewer/s],
    ['a name that none can have', { agentName: 'a b' }, 'invalid_input', /list_agents/],
    ['a team that nobody knows', { team: 'bakend' }, 'unknown_team', /backend/],
    ['no team, when nothing says which', { team: undefined }, 'invalid_input', /agent's project is missing/],
    ['an id that is none', { continueSessionId: '../../x' }, 'invalid_input', /UUID/],
    [
      'an id that nobody knows',
      { continueSessionId: crypto.randomUUID() },
      'unknown_session',
      /leave continueSessionId/,
    ],
    ['a model that would be an option', { model: '--resume' }, 'invalid_input', /model/],
  ])('%s is refused', async (_what, more, code, text) => {
    const error = await refusal(iris, 'invoke_agent', { agentName: 'reviewer', team: 'backend', prompt: 'x', ...more })
    expect(error.code).toBe(code)
    expect(`${error.message} ${error.remedy}`).toMatch(text)
  })

  test('the conversation of another agent, team or asker cannot be taken up', async () => {
    const { sessionId } = await invoke('one')
    const main = await callTool(iris, 'send_message', { toTeam: 'backend', message: 'hello', timeout: 0 })
    const tries = [
      { agentName: 'general-purpose', continueSessionId: sessionId },
      { team: 'frontend', agentName: 'general-purpose', continueSessionId: sessionId },
      { fromTeam: 'frontend', continueSessionId: sessionId },
      { continueSessionId: main['sessionId'] },
    ]
    for (const more of tries) {
      const error = await refusal(iris, 'invoke_agent', {
        agentName: 'reviewer',
        team: 'backend',
        prompt: 'x',
        ...more,
      })
      expect(error.code).toBe('unknown_session')
    }
  })

  test('an agent whose file has gone does not answer as somebody else', async () => {
    const { sessionId } = await invoke('one')
    await callTool(iris, 'team_sleep', { team: 'backend', thread: 'agent:reviewer' })
    rmSync(place())
    const answer = await invoke('two', { continueSessionId: sessionId })
    writeFiles(iris.world.directory('backend'), { '.claude/agents/reviewer.md': definition })
    expect(answer).toMatchObject({
      status: 'failed',
      reason: 'unknown_agent',
      detail: expect.stringMatching(/no agent "reviewer".*general-purpose/),
    })
  })
})
