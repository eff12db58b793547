import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Script } from '../../src/app/demo/script.ts'
import type { SpanKind, TracedTurn, traceTurn } from '../../src/features/traces/contract.ts'
import { aProgram, theOwner } from '../../src/kernel/call/principal.ts'
import { callAs } from '../support/call-as.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import type { Script as FakeScript } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { answerPermission, questionOf } from '../support/owner.ts'
import { Stage } from '../support/stage.ts'

type Trace = z.output<typeof traceTurn.output>

const fromTeam = 'frontend'
const teams = ['frontend', 'backend', 'mobile']
const command = 'echo built | tee built.txt; echo TOKEN=hushhushhush'

/** Backend asks mobile; mobile needs a permission for a command. */
const nested: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  if (step > 0) return { text: `heard ${toolResults.at(-1)?.text}` }
  if (!lastUserText.includes('to="backend"'))
    return { toolUses: [{ name: 'Bash', input: { command, description: 'x' } }] }
  const input = { toTeam: 'mobile', message: 'build', timeout: 0 }
  return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
}

async function traceOf(iris: TestIris, turnId: string, more: object = {}): Promise<Trace> {
  const auth = { principal: aProgram, team: undefined, parent: undefined } as const
  return (await callAs(auth, iris, 'trace_turn', { turnId, ...more })) as Trace
}

const kindsOf = ({ spans }: TracedTurn): SpanKind[] => spans.map(({ kind }) => kind)
const within = (inner: { from: number; to: number }, outer: { from: number; to: number }): boolean =>
  inner.from >= outer.from && inner.to <= outer.to

test('a chain of asks with a tool and a permission is told whole: while it runs, when it has ended, and after a restart', async () => {
  await using iris = await TestIris.start({ claude: 'either', script: nested, teams })
  const answered = ask(iris, 'backend', 'plan', { fromTeam })
  const question = await questionOf(iris, 'mobile')

  const running = await traceOf(iris, question.turnId!)
  expect(running.turns.map(({ from, to, status }) => `${from}→${to} ${status}`)).toEqual([
    'frontend→backend working',
    'backend→mobile working',
  ])
  expect(kindsOf(running.turns[1]!).at(-1)).toBe('person')
  expect(kindsOf(running.turns[0]!).at(-1)).toBe('team')
  expect(running.turns[1]?.tools).toMatchObject([{ name: 'Bash', state: 'running', endedAt: null }])
  expect(running.times.person).toBe(running.turns[1]!.times.person)
  expect(running.tree).toMatchObject({ turns: 2, endedAt: null })

  await answerPermission(iris, question, 'allow')
  const { turnId } = await answered
  const ended = await traceOf(iris, turnId)
  const [root, nestedAsk] = ended.turns as [TracedTurn, TracedTurn]
  expect(nestedAsk).toMatchObject({
    parentTurnId: turnId,
    from: 'backend',
    to: 'mobile',
    message: 'build',
    hop: 2,
    awaited: true,
    status: 'completed',
    tools: [{ name: 'Bash', input: expect.stringContaining('tee built.txt'), state: 'ended', isError: false }],
    permissions: [{ toolName: 'Bash', state: 'allowed', decidedBy: 'owner' }],
    usage: { outputTokens: expect.any(Number) },
  })
  expect(JSON.stringify(ended)).not.toContain('hushhushhush')
  const [send] = root.tools
  expect(send).toMatchObject({ name: 'mcp__iris__send_message', input: 'mobile', state: 'ended' })
  expect(nestedAsk.parentToolUseId).toBe(send?.toolUseId)
  const team = root.spans.find(({ kind }) => kind === 'team')!
  expect(team).toEqual({ kind: 'team', from: send?.startedAt, to: send?.endedAt })
  expect(within({ from: nestedAsk.acceptedAt, to: nestedAsk.settledAt! }, team)).toBe(true)
  const person = nestedAsk.spans.find(({ kind }) => kind === 'person')!
  const [bash] = nestedAsk.tools
  expect(within(person, { from: bash!.startedAt, to: bash!.endedAt! })).toBe(true)
  for (const turn of ended.turns) {
    expect(turn.spans.every(({ from }, index) => from === (turn.spans[index - 1]?.to ?? turn.acceptedAt))).toBe(true)
    expect(turn.spans.at(-1)?.to).toBe(turn.settledAt)
  }
  expect(Object.values(ended.times).reduce((sum, ms) => sum + ms, 0)).toBe(root.settledAt! - root.acceptedAt)
  expect(ended.times.person).toBe(nestedAsk.times.person)

  await iris.restart()
  const { timestamp: _, ...kept } = ended
  expect(await traceOf(iris, nestedAsk.turnId)).toMatchObject({
    ...kept,
    turnId: nestedAsk.turnId,
    steps: expect.anything(),
  })

  const { steps } = await traceOf(iris, nestedAsk.turnId.slice(0, 8))
  const told = steps.map(({ text }) => text)
  expect(told[0]).toBe('Iris accepted the message of backend for mobile.')
  expect(told.filter((text) => text.startsWith('Bash'))).toEqual([
    expect.stringMatching(/^Bash: echo built/),
    'Bash: allowed by owner.',
    'Bash ended.',
  ])
  expect(told.at(-1)).toBe('It ended: completed.')
})

describe('with the fake claude', () => {
  const says = (file: (name: string) => string): FakeScript => ({
    rules: [
      { when: 'long', steps: [{ partial: 'thinks ' }, { waitForFile: file('never') }] },
      {
        when: 'reads',
        onceFile: file('read'),
        steps: [{ tool: { name: 'Read', during: [{ touchFile: file('reads') }, { waitForFile: file('never') }] } }],
      },
    ],
  })

  test('what waits behind another turn waits in its queue', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: says, teams })
    const first = await ask(stage.iris, 'backend', 'long', { fromTeam, timeout: -1 })
    await stage.said('thinks ')
    const second = await ask(stage.iris, 'backend', 'short', { fromTeam, timeout: -1 })
    await stage.clock.jump(30_000)
    const [waiting] = (await traceOf(stage.iris, second.turnId)).turns
    expect(waiting).toMatchObject({
      status: 'queued',
      firstAt: null,
      deliveredAt: null,
      times: { process: 0, model: 0 },
    })
    expect(waiting!.times.queue).toBeGreaterThanOrEqual(30_000)
    await callAs({ principal: theOwner, team: undefined, parent: undefined }, stage.iris, 'session_cancel', {
      turnId: first.turnId,
    })
    await stage.status(second.turnId, 0)
    const [answered] = (await traceOf(stage.iris, second.turnId)).turns
    expect(answered).toMatchObject({ status: 'completed', firstAt: expect.any(Number) })
    expect(answered!.spans[0]).toEqual({ kind: 'queue', from: answered!.acceptedAt, to: answered!.firstAt })
  })

  test('a tool in the midst of which Iris was stopped is shown as cut off, and so is the time until the turn went on', async () => {
    await using stage = await Stage.start({ script: says, teams })
    const { turnId } = await ask(stage.iris, 'backend', 'reads', { fromTeam, timeout: -1 })
    await eventually(() => stage.fake.exists('reads'), 'the tool works')
    await stage.clock.jump(1000)
    const before = (await traceOf(stage.iris, turnId)).turns[0]!
    expect(before.tools).toMatchObject([{ name: 'Read', state: 'running' }])
    expect(kindsOf(before).at(-1)).toBe('tool')
    await stage.clock.jump(1000)
    await stage.iris.restart()
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed' })
    const [turn] = (await traceOf(stage.iris, turnId)).turns
    expect(turn!.tools).toMatchObject([{ name: 'Read', state: 'cut_off', endedAt: null, isError: null }])
    expect(turn!.continuedAt).toHaveLength(1)
    expect(turn!.spans.filter(({ kind }) => kind === 'interrupted').at(-1)?.to).toBe(turn!.continuedAt[0])
    expect(kindsOf(turn!)).not.toContain('tool')
    const { steps } = await traceOf(stage.iris, turnId)
    expect(steps.map(({ text }) => text)).toContain('Read. How it ended is not known.')
  })

  test('a tree larger than a page comes in pages, each ask after the one that made it', {
    tags: ['thorough'],
  }, async () => {
    const asks = (to: string) => ({
      mcpCall: { name: 'send_message', arguments: { toTeam: to, message: 'on', timeout: 0 } },
    })
    const script = {
      rules: [{ when: 'to="backend"', steps: [asks('mobile'), asks('web'), asks('mobile'), { text: 'done' }] }],
    }
    await using stage = await Stage.start({ script, teams: [...teams, 'web'] })
    const { turnId } = await ask(stage.iris, 'backend', 'fan out', { fromTeam })
    const first = await traceOf(stage.iris, turnId, { limit: 2 })
    expect(first.turns.map(({ to }) => to)).toEqual(['backend', 'mobile'])
    expect(first).toMatchObject({ tree: { turns: 4 }, nextCursor: expect.any(String) })
    const second = await traceOf(stage.iris, turnId, { limit: 2, cursor: first.nextCursor })
    expect(second.turns.map(({ to }) => to)).toEqual(['web', 'mobile'])
    expect(second).not.toHaveProperty('nextCursor')
    expect(second.steps.map(({ text }) => text).filter((text) => text.startsWith('It asked'))).toHaveLength(3)
  })

  test('turns are listed, the newest first: only first asks, of one team, only open ones, in pages', {
    tags: ['thorough'],
  }, async () => {
    const script = (file: (name: string) => string): FakeScript => ({
      rules: [
        ...says(file).rules!,
        {
          when: 'ask',
          steps: [{ mcpCall: { name: 'send_message', arguments: { toTeam: 'mobile', message: 'on', timeout: 0 } } }],
        },
      ],
    })
    await using stage = await Stage.start({ script, teams })
    const list = async (input: object): Promise<{ told: string[]; nextCursor?: string }> => {
      const auth = { principal: aProgram, team: undefined, parent: undefined } as const
      const { turns, nextCursor } = await callAs(auth, stage.iris, 'list_turns', input)
      const told = (turns as TracedTurn[]).map(({ to, message, status }) => `${to} ${message} ${status}`)
      return { told, ...(nextCursor !== undefined && { nextCursor: String(nextCursor) }) }
    }
    await ask(stage.iris, 'backend', 'ask', { fromTeam })
    await ask(stage.iris, 'mobile', 'hello', { fromTeam })
    const { turnId } = await ask(stage.iris, 'frontend', 'long', { timeout: -1 })
    await stage.said('thinks ')
    const [long, hello, on, asked] = [
      'frontend long working',
      'mobile hello completed',
      'mobile on completed',
      'backend ask completed',
    ]
    expect(await list({})).toEqual({ told: [long, hello, on, asked] })
    expect(await list({ root: true })).toEqual({ told: [long, hello, asked] })
    expect(await list({ team: 'backend' })).toEqual({ told: [on, asked] })
    expect(await list({ status: 'open' })).toEqual({ told: [long] })
    expect(await list({ status: 'completed', root: true })).toEqual({ told: [hello, asked] })
    const page = await list({ limit: 3 })
    expect(page.told).toEqual([long, hello, on])
    expect(await list({ cursor: page.nextCursor })).toEqual({ told: [asked] })
    await callAs({ principal: theOwner, team: undefined, parent: undefined }, stage.iris, 'session_cancel', { turnId })
    await stage.status(turnId, 0)
  })

  test('a turn that is not there is refused, with what to do', async () => {
    await using stage = await Stage.start({ teams })
    await expect(traceOf(stage.iris, 'nothing')).rejects.toThrow('There is no turn nothing.')
  })
})
