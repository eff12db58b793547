import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script, ToolUse } from '../../src/app/demo/script.ts'
import type { Line } from '../../src/base/agent/line.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { openGate, untilOpen } from '../support/shell-gate.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const yes = { grantPermission: 'yes', dangerous: true }
const backgroundTimeout = 900_000

const agent = (prompt: string, more: object = {}): ToolUse => ({
  name: 'Agent',
  input: { description: `do ${prompt}`, prompt, subagent_type: 'general-purpose', ...more },
})
const bash = (command: string, more: object = {}): ToolUse => ({
  name: 'Bash',
  input: { command, description: 'a step', ...more },
})
/** Runs in the background whatever the hook says: one agent, whose prompt this is. */
const workflow = (prompt: string): ToolUse => ({
  name: 'Workflow',
  input: {
    script: `export const meta = { name: 'look', description: 'look for ${prompt}', phases: [] }\nreturn await agent('work on ${prompt}')`,
  },
})

describe.each(contractVersions)('under Claude Code %s', (version) => {
  const file = (name: string) => join(iris.world.directory('backend'), name)
  const until = (name: string) => untilOpen(file(name))

  /** The first action of the asked agent, by its message. */
  const first: Record<string, () => ToolUse[]> = {
    one: () => [agent('one', { run_in_background: true })],
    two: () => [agent('left'), agent('right')],
    nested: () => [agent('outer')],
    flow: () => [workflow('flow')],
    cut: () => [workflow('cut')],
    late: () => [workflow('late')],
    killed: () => [workflow('killed')],
    watch: () => [
      { name: 'Monitor', input: { command: 'echo tick; sleep 0.5', description: 'ticks', timeout_ms: 60_000 } },
    ],
    serve: () => [bash(until('never'), { run_in_background: true })],
  }
  const script: Script = ({ conversation: { lastUserText, userTexts, step, toolResults } }) => {
    const message = spoken(lastUserText)
    const inner = /work on (\w+)/.exec(lastUserText)?.[1]
    const said = toolResults.map(({ text }) => /FOUND \w+/g.exec(text)?.[0] ?? 'nothing').join(' ')
    if (lastUserText.includes('<iris-continuation>')) {
      const asked = userTexts.findLast((text) => text.includes('<iris-message '))!
      return { text: `taken up again: ${spoken(asked.slice(asked.lastIndexOf('<iris-message ')))}` }
    }
    if (lastUserText.includes('<task-notification>')) {
      return { text: `reported: ${/FOUND \w+/.exec(lastUserText)?.[0] ?? 'a tick'}` }
    }
    if (inner !== undefined) {
      if (step === 0) return { toolUses: [bash(`echo ${inner} >> ${file('begun')}; ${until(inner)}`)] }
      return { text: `FOUND ${inner}` }
    }
    if (message === 'outer' && step === 0) return { toolUses: [agent('inner')] }
    if (message === 'outer') return { text: `FOUND outer of ${said}` }
    if (['one', 'left', 'right', 'inner'].includes(message) && !lastUserText.includes('<iris-message')) {
      if (step === 0) return { toolUses: [bash(`echo ${message} >> ${file('effects')}`)] }
      return { text: `FOUND ${message}` }
    }
    const uses = first[message]?.()
    if (uses && step === 0) return { toolUses: uses }
    return { text: `said to ${message}: ${said}` }
  }

  const clock = new JumpingClock({ goesOn: true })
  let iris: TestIris
  beforeAll(async () => {
    iris = await TestIris.start({
      script,
      clock,
      teams: { frontend: {}, backend: yes },
      settings: { claudePath: claudeBinary(version), backgroundTimeout, responseTimeout: 2 ** 30 },
    })
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  const say = (message: string) => ask(iris, 'backend', message, { fromTeam })
  const begin = async (message: string) => (await ask(iris, 'backend', message, { fromTeam, timeout: -1 })).turnId
  const status = (turnId: string, timeout = -1) => callTool(iris, 'message_status', { turnId, timeout })
  const trace = async (turnId: string) =>
    ((await callTool(iris, 'trace_turn', { turnId })) as { turns: { tools: Record<string, unknown>[] }[] }).turns[0]!
  const openAgents = (turnId: string) => iris.rows(`SELECT * FROM open_agents WHERE turn = '${turnId}'`)
  const hasBegun = (name: string) => existsSync(file('begun')) && readFileSync(file('begun'), 'utf8').includes(name)
  /** The turn has had its own result, and its agent is at work in the background. */
  const isWaiting = async (turnId: string, own: string) => {
    await iris.event('turn-message', (event) => event.turnId === turnId && (event.message as Line).type === 'result')
    await eventually(() => hasBegun(own), `the agent of "${own}" is at work`)
  }
  const pid = async () => {
    const { teams } = (await callTool(iris, 'team_status')) as {
      teams: { name: string; sessions: { pid?: number }[] }[]
    }
    return teams.find(({ name }) => name === 'backend')!.sessions[0]!.pid!
  }
  const report = (name: string) => openGate(file(name))

  test('what runs in the background all the same is waited for: the answer is the whole of it', async () => {
    const turnId = await begin('flow')
    await isWaiting(turnId, 'flow')
    expect(await status(turnId)).toMatchObject({
      status: 'async',
      subagents: [{ description: 'look for flow', state: 'working' }],
    })
    expect(openAgents(turnId)).toMatchObject([{ turn: turnId }])
    await report('flow')
    const answer = await status(turnId, 0)
    expect(answer).toMatchObject({ status: 'completed', response: 'said to flow: nothing\n\nreported: FOUND flow' })
    expect(answer).not.toHaveProperty('subagents')
    expect(openAgents(turnId)).toEqual([])
  })

  test('what a watch tells is part of the answer; 2.1.197 offers none', async () => {
    const told = {
      '2.1.330': /^said to watch: nothing\n\nreported: a tick/,
      '2.1.197': /^said to watch: nothing$/,
    }
    const answer = await say('watch')
    expect(answer).toMatchObject({ status: 'completed', response: expect.stringMatching(told[version]) })
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('a subagent that the model wants in the background answers in the same turn; its tools are its own', async () => {
    const { turnId, ...answer } = await say('one')
    expect(answer).toMatchObject({ status: 'completed', response: 'said to one: FOUND one' })
    const { tools } = await trace(turnId)
    expect(new Set(tools.map(({ name }) => name))).toEqual(new Set(['Agent', 'Bash']))
    expect(tools).toHaveLength(2)
    const outer = tools.find(({ name }) => name === 'Agent')
    expect(outer).not.toHaveProperty('within')
    expect(tools.find(({ name }) => name === 'Bash')!['within']).toBe(outer!['toolUseId'])
    expect(openAgents(turnId)).toEqual([])
  })

  test('two subagents, and one that has one of its own, answer in one turn', async () => {
    expect((await say('two')).response).toMatch(/^said to two: (FOUND left FOUND right|FOUND right FOUND left)$/)
    const { turnId, response } = await say('nested')
    expect(response).toBe('said to nested: FOUND outer')
    const { tools } = await trace(turnId)
    const inside = (outer: unknown) => tools.find(({ within }) => within === outer)?.['toolUseId']
    const outer = inside(undefined)
    const inner = inside(outer)
    expect([outer, inner, inside(inner)]).toEqual([1, 2, 3].map(() => expect.any(String)))
  })

  test('a command in the background does not hold the answer, which says that it runs', async () => {
    const before = Date.now()
    const answer = await say('serve')
    const background = [{ command: until('never'), since: expect.any(Number) }]
    expect(answer).toMatchObject({ status: 'completed', response: 'said to serve: nothing', background })
    expect(answer.background![0]!.since).toBeGreaterThanOrEqual(before)
    expect(await status(answer.turnId)).toMatchObject({ background })
  })

  test('a cancel while it is waited for ends it, though no result follows, and the process goes on', async () => {
    const turnId = await begin('cut')
    await isWaiting(turnId, 'cut')
    const before = await pid()
    iris.daemon.parts.orchestrator.cancel(turnId)
    expect(await status(turnId, 0)).toMatchObject({
      status: 'cancelled',
      partialResponse: expect.stringContaining('said to cut'),
    })
    expect(await say('after the cancel')).toMatchObject({ response: 'said to after the cancel: ' })
    expect(await pid()).toBe(before)
  })

  test('longer than backgroundTimeout it is not waited for: the end says what still ran, and it is stopped', async () => {
    const turnId = await begin('late')
    await isWaiting(turnId, 'late')
    await clock.jump(backgroundTimeout)
    const answer = await status(turnId, 0)
    expect(answer).toMatchObject({
      status: 'timed_out',
      reason: 'background_timeout',
      detail: expect.stringContaining('Workflow "look for late"'),
      partialResponse: expect.stringContaining('said to late'),
    })
    expect(await say('after the limit')).toMatchObject({ response: 'said to after the limit: ' })
  })

  test('kill -9 of claude while it is waited for: the turn goes on, and is not answered with what was said so far', {
    tags: ['thorough'],
  }, async () => {
    const turnId = await begin('killed')
    await isWaiting(turnId, 'killed')
    process.kill(await pid(), 'SIGKILL')
    expect(await status(turnId, 0)).toMatchObject({ status: 'completed', response: 'taken up again: killed' })
    const heard = iris.world.model.requests.recent.map(({ conversation }) => conversation.lastUserText)
    expect(heard.find((text) => text.includes('<iris-continuation>'))).toMatch(
      /ran in the background.*look for killed/s,
    )
    expect(openAgents(turnId)).toEqual([])
  })
})
