import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { Usage } from '../../src/base/protocol/turn.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { Stage } from '../support/stage.ts'
import { spoken } from '../support/world.ts'

type Listed = Record<string, unknown> & { from: string; to: string; thread: string }

const list = async ({ iris }: { iris: TestIris }, more: object = {}) => {
  const answer = await callTool(iris, 'list_sessions', more)
  const sessions = answer['sessions'] as Listed[]
  return { ...answer, sessions, names: sessions.map(({ from, to, thread }) => `${from} ${to} ${thread}`) }
}

/** Four conversations, one after the other: the first is deleted, the second rebooted. */
async function spokenStage(): Promise<Stage> {
  const stage = await Stage.start()
  const { iris, clock } = stage
  const say = async (to: string, args: object): Promise<void> => {
    await ask(iris, to, 'hello', args)
    await clock.jump(10)
  }
  await say('backend', { fromTeam: 'frontend' })
  await say('mobile', { fromTeam: 'frontend' })
  await say('backend', { fromTeam: 'mobile', thread: 'review' })
  await callTool(iris, 'session_delete', { team: 'backend', fromTeam: 'frontend' })
  await clock.jump(10)
  await callTool(iris, 'session_reboot', { team: 'mobile', fromTeam: 'frontend' })
  await clock.jump(10)
  await say('frontend', {})
  return stage
}

describe('list_sessions', () => {
  test('names the live conversations, the last used first, or those that fit', async () => {
    await using stage = await spokenStage()
    const { iris } = stage
    const reset = 'frontend mobile main'
    const review = 'mobile backend review'
    const own = 'external frontend main'
    const all = await list(stage)
    expect(all.names).toEqual([own, reset, review])
    expect(all).not.toHaveProperty('nextCursor')
    expect(all.sessions[1]).toMatchObject({
      status: 'active',
      origin: 'reset',
      originSession: expect.any(String),
      messageCount: 0,
      processState: 'idle',
      queueLength: 0,
    })
    const { createdAt } = all.sessions[0]!
    expect((await list(stage, { from: 'mobile' })).names).toEqual([review])
    expect((await list(stage, { to: 'frontend' })).names).toEqual([own])
    expect((await list(stage, { thread: 'review' })).names).toEqual([review])
    expect((await list(stage, { origin: 'reset' })).names).toEqual([reset])
    expect((await list(stage, { since: createdAt })).names).toEqual([own])
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam: 'mobile', thread: 'review' })
    expect((await list(stage, { awake: true })).names).toEqual([own, reset])
    expect((await list(stage, { awake: false })).names).toEqual([review])
    const archived = await list(stage, { status: 'archived' })
    expect(archived.names.toSorted()).toEqual(['frontend backend main', reset])
    expect(archived.sessions.find(({ to }) => to === 'backend')).toMatchObject({
      status: 'archived',
      messageCount: 1,
      processState: 'stopped',
      archivedWhy: 'deleted on request',
      archivedAt: expect.any(Number),
    })
    expect((await list(stage, { status: 'all' })).names).toHaveLength(5)
  })

  test('comes in pages, in which each is once', async () => {
    await using stage = await spokenStage()
    const seen: string[] = []
    let cursor: unknown
    for (const count of [2, 2, 1]) {
      const page = await list(stage, { status: 'all', limit: 2, ...(cursor !== undefined && { cursor }) })
      expect(page.names).toHaveLength(count)
      seen.push(...page.sessions.map(({ sessionId }) => String(sessionId)))
      cursor = (page as Record<string, unknown>)['nextCursor']
    }
    expect(cursor).toBeUndefined()
    expect(new Set(seen).size).toBe(5)
    expect(await refusal(stage.iris, 'list_sessions', { cursor: 'x' })).toMatchObject({ code: 'invalid_input' })
  })
})

describe('session_stats', () => {
  test('of an Iris that was never asked anything counts nothing', async () => {
    await using stage = await Stage.start()
    expect(await callTool(stage.iris, 'session_stats')).toMatchObject({
      sessions: {
        total: 0,
        live: 0,
        archived: 0,
        messagesPerSession: {},
        tokensPerSession: {},
        lifetime: { steps: [] },
      },
      turns: { total: 0, active: 0 },
      tokens: { inputTokens: 0, costUsd: 0 },
      answerTimes: { count: 0 },
      busiestPairs: [],
      fullestContexts: [],
    })
  })

  test('counts what was said, by team, pair and time', async () => {
    await using stage = await spokenStage()
    const { iris, clock } = stage
    const stats = (more: object = {}) => callTool(iris, 'session_stats', more)
    await ask(iris, 'backend', 'again', { fromTeam: 'mobile', thread: 'review' })
    expect(await stats()).toMatchObject({
      sessions: {
        total: 5,
        live: 3,
        archived: 2,
        messagesPerSession: { average: 1, most: 2 },
        tokensPerSession: { most: expect.any(Number) },
        lifetime: { steps: [{ upToMs: expect.any(Number) }] },
      },
      turns: { total: 5, completed: 5, active: 0 },
      answerTimes: { count: 5, p50Ms: expect.any(Number), p95Ms: expect.any(Number), p99Ms: expect.any(Number) },
    })
    expect((await stats())['busiestPairs']).toEqual([
      { from: 'mobile', to: 'backend', thread: 'review', turns: 2 },
      { from: 'external', to: 'frontend', thread: 'main', turns: 1 },
      { from: 'frontend', to: 'backend', thread: 'main', turns: 1 },
      { from: 'frontend', to: 'mobile', thread: 'main', turns: 1 },
    ])
    expect(await stats({ team: 'frontend' })).toMatchObject({ turns: { total: 3 }, sessions: { total: 4 } })
    expect(await stats({ from: 'mobile', to: 'backend' })).toMatchObject({ turns: { total: 2 } })
    expect(await stats({ from: 'mobile', to: 'backend', thread: 'main' })).toMatchObject({ turns: { total: 0 } })
    await clock.jump(40 * 24 * 3_600_000)
    expect(await stats()).toMatchObject({ turns: { total: 0 }, sessions: { total: 0 } })
    expect(await stats({ since: 0 })).toMatchObject({ turns: { total: 5 }, sessions: { total: 5 } })
  })
})

describe('with the real Claude Code', () => {
  const script: Script = ({ conversation: { lastUserText, toolResults } }) => {
    if (toolResults[0]) return { text: toolResults[0].text }
    const message = spoken(lastUserText)
    const input = { status: 'all' }
    return message === 'list' ? { toolUses: [{ name: 'mcp__iris__list_sessions', input }] } : { text: message }
  }

  test('tokens are the sum of what Claude Code reported, cache reads and writes apart, after a restart too', async () => {
    await using iris = await TestIris.start({ claude: 'either', script })
    const answers = [
      await ask(iris, 'backend', 'one'),
      await ask(iris, 'backend', 'two'),
      await ask(iris, 'mobile', 'x'),
    ]
    const sum = (field: Exclude<keyof Usage, 'model'>): number =>
      answers.reduce((total, { usage }) => total + (usage?.[field] ?? Number.NaN), 0)
    const tokens = {
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      cacheReadTokens: sum('cacheReadTokens'),
      cacheWriteTokens: sum('cacheWriteTokens'),
      costUsd: expect.closeTo(sum('costUsd'), 9),
    }
    expect(tokens.cacheReadTokens).toBeGreaterThan(0)
    await iris.restart()
    expect(await callTool(iris, 'session_stats')).toMatchObject({ turns: { completed: 3 }, tokens })
  })

  test('an agent sees the conversations of its own team only', async () => {
    await using iris = await TestIris.start({ claude: 'either', script })
    await ask(iris, 'mobile', 'hello', { fromTeam: 'frontend' })
    await ask(iris, 'mobile', 'hello', { fromTeam: 'backend' })
    const { response } = await ask(iris, 'backend', 'list', { fromTeam: 'frontend' })
    const names = (JSON.parse(response!).sessions as Listed[]).map(({ from, to }) => `${from} ${to}`)
    expect(names.toSorted()).toEqual(['backend mobile', 'frontend backend'])
  })
})
