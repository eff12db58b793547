import { describe, expect, test } from 'vitest'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import type { Script } from '../support/fake-claude.ts'
import { hurried } from '../support/hurried.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const pair = { team: 'backend', fromTeam }
const script: Script = {
  flushDelayMs: 0,
  rules: ['crash', '<iris-continuation>'].map((when) => ({
    when,
    steps: [{ stderr: 'warming up\nno space left\n' }, { kill: 'SIGKILL' }],
  })),
}
const openMs = 60_000

function say(stage: Stage, message: string): Promise<TurnResult> {
  return ask(stage.iris, 'backend', message, { fromTeam })
}

/** A session that answered, whose process has died five times since. The turn that saw the last death. */
async function broken(stage: Stage): Promise<TurnResult> {
  await say(stage, 'hello')
  expect(await hurried(stage, say(stage, 'crash'))).toMatchObject({ status: 'failed', reason: 'process_died' })
  return hurried(stage, say(stage, 'crash'))
}

async function breakerShown({ iris }: Stage): Promise<unknown> {
  const { teams } = (await callTool(iris, 'team_status', { team: 'backend' })) as {
    teams: { sessions: { from: string; breaker?: unknown }[] }[]
  }
  return teams[0]?.sessions.find(({ from }) => from === fromTeam)?.breaker
}

describe('a process that died five times within a minute', () => {
  test('is left alone: its turn fails, and what comes is refused, with the cause and until when', async () => {
    await using stage = await Stage.start({ script })
    const { iris, clock } = stage
    const fifth = await broken(stage)
    expect(fifth).toMatchObject({ status: 'failed', reason: 'breaker_open' })
    expect(fifth.detail).toMatch(/failed 5 times.*claude ended by SIGKILL: warming up \/ no space left\b/)
    const opened = await iris.event('breaker-opened')
    expect(opened).toMatchObject({ teamName: 'backend', cause: expect.stringContaining('no space left') })
    expect(Math.abs(opened.retryAt - opened.at - openMs)).toBeLessThan(1000)
    const until = new Date(opened.retryAt).toISOString()
    const starts = stage.starts().length
    const turns = iris.rows('SELECT id FROM turns').length
    for (const [verb, args] of [
      ['send_message', { toTeam: 'backend', fromTeam, message: 'hello' }],
      ['team_wake', pair],
    ] as const) {
      const refused = await refusal(iris, verb, args)
      expect(refused).toMatchObject({ code: 'breaker_open', message: expect.stringContaining('no space left') })
      expect(refused.message).toContain(until)
      expect(refused.retryAfterMs).toBeGreaterThan(0)
      expect(refused.retryAfterMs).toBeLessThanOrEqual(openMs)
    }
    expect(stage.starts()).toHaveLength(starts)
    expect(iris.rows('SELECT id FROM turns')).toHaveLength(turns)
    expect(await breakerShown(stage)).toMatchObject({ state: 'open', retryAt: opened.retryAt })
    expect(await ask(iris, 'backend', 'hello', { fromTeam: 'mobile' })).toMatchObject({ status: 'completed' })

    await clock.jump(openMs)
    expect(await breakerShown(stage)).toMatchObject({ state: 'half_open' })
    expect(await say(stage, 'hello')).toMatchObject({ status: 'completed' })
    expect(await iris.event('breaker-closed')).toMatchObject({ teamName: 'backend' })
    expect(await breakerShown(stage)).toBeUndefined()
  })

  test('is tried once after a minute, and left alone for another when that fails', async () => {
    await using stage = await Stage.start({ script })
    await broken(stage)
    await stage.clock.jump(openMs)
    const starts = stage.starts().length
    expect(await say(stage, 'crash')).toMatchObject({ status: 'failed', reason: 'breaker_open' })
    expect(stage.starts()).toHaveLength(starts + 1)
    expect(await refusal(stage.iris, 'team_wake', pair)).toMatchObject({ code: 'breaker_open' })
    await stage.clock.jump(openMs)
    expect(await callTool(stage.iris, 'team_wake', pair)).toMatchObject({ status: 'awake' })
  })

  test('leaves those who wait behind it waiting for that try', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script })
    const { iris, clock } = stage
    await say(stage, 'hello')
    const asked = ['crash', 'crash', 'patience'].map((message) => say(stage, message))
    await hurried(stage, asked[1]!)
    await clock.jump(openMs)
    expect(await asked[2]).toMatchObject({ status: 'completed' })
    await iris.event('breaker-closed')
  })

  test('fails those who may not wait so long, at once', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script, settings: { queueTimeout: 5000 } })
    await say(stage, 'hello')
    const asked = ['crash', 'crash', 'no patience'].map((message) => say(stage, message))
    expect(await hurried(stage, asked[2]!)).toMatchObject({
      status: 'failed',
      reason: 'breaker_open',
      delivered: false,
    })
  })
})

test('a claude that cannot start is not started a sixth time within a minute', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start({ script: { exitAtStart: { code: 1, stderr: 'no licence\n' } } })
  const reasons: unknown[] = []
  for (const message of ['1', '2', '3']) reasons.push((await hurried(stage, say(stage, message))).reason)
  expect(reasons).toEqual(Array(3).fill('session_creation_failed'))
  expect(stage.fake.oracle().filter(({ event }) => event === 'refused')).toHaveLength(5)
  expect(await refusal(stage.iris, 'send_message', { toTeam: 'backend', fromTeam, message: '4' })).toMatchObject({
    code: 'breaker_open',
    message: expect.stringContaining('no licence'),
  })
})

test('ends that Iris wanted are no failures', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start({ script })
  for (let round = 0; round < 6; round++) {
    await callTool(stage.iris, 'team_wake', pair)
    await callTool(stage.iris, 'team_sleep', pair)
  }
  expect(await breakerShown(stage)).toBeUndefined()
  expect(await say(stage, 'hello')).toMatchObject({ status: 'completed' })
})
