import { describe, expect, test } from 'vitest'
import type { ModelReply, Script } from '../../src/app/demo/script.ts'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { Stage } from '../support/stage.ts'
import { spoken } from '../support/world.ts'

const teams = ['backend', 'mobile', 'web']
const fromTeam = 'frontend'

interface Tree {
  readonly used: Readonly<Record<string, number>>
  readonly budget?: unknown
  readonly left?: unknown
}

function asks(toTeam: string, message: string, timeout = 0): ModelReply {
  return { toolUses: [{ name: 'mcp__iris__send_message', input: { toTeam, message, timeout } }] }
}

async function treeOf(iris: TestIris, turnId: string): Promise<Tree> {
  return (await callTool(iris, 'message_status', { turnId }))['tree'] as Tree
}

async function ended(iris: TestIris, turnId: string): Promise<TurnResult> {
  return (await callTool(iris, 'message_status', { turnId, timeout: 0 })) as TurnResult
}

describe('with the real Claude Code', () => {
  test('a chain that would go on for ever ends when its turns are used up, and the last asker is told', async () => {
    const told: string[] = []
    const onAndOn: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
      const to = /to="(\w+)"/.exec(lastUserText)?.[1]
      if (step === 0) return asks(teams[(teams.indexOf(to!) + 1) % teams.length]!, 'on', -1)
      told.push(toolResults.at(-1)!.text)
      return { text: 'asked on' }
    }
    const settings = { budget: { turns: 9, cost: 100 } }
    await using iris = await TestIris.start({ claude: 'either', script: onAndOn, teams, settings })
    const root = await ask(iris, 'backend', 'on', { budget: { turns: 4 } })
    expect(root).toMatchObject({ status: 'completed' })
    await iris.event('turn-settled', () => iris.rows(`SELECT 1 FROM turns WHERE state = 'settled'`).length === 4)
    expect(iris.rows('SELECT hop FROM turns ORDER BY sequence')).toEqual([1, 2, 3, 4].map((hop) => ({ hop })))
    const refusals = told.map((text) => JSON.parse(text).error).filter(Boolean)
    expect(refusals).toEqual([
      {
        code: 'over_budget',
        message: `Turn ${root.turnId} (external→backend) may use 4 turns with everything it causes; 4 turns are used.`,
        remedy: expect.stringContaining('settings.budget'),
      },
    ])
    expect(await treeOf(iris, root.turnId)).toMatchObject({
      used: { turns: 4 },
      budget: { turns: 4, cost: 100 },
      left: { turns: 0 },
    })
  })

  test('the answer that takes more money than there is ends all that waits for it, and starts nothing more', {
    tags: ['thorough'],
  }, async () => {
    const script: Script = ({ conversation: { lastUserText, step } }) => {
      if (spoken(lastUserText) === 'dear') return { text: 'here', inputTokens: 150_000 }
      return step < 5 ? asks('mobile', 'dear') : { text: 'never' }
    }
    await using iris = await TestIris.start({ script, teams, settings: { budget: { cost: 0.02 } } })
    const root = await ask(iris, 'backend', 'spend')
    expect(root).toMatchObject({ status: 'failed', reason: 'over_budget' })
    expect(root.detail).toMatch(/may use \$0\.02 with everything it causes; \$0\.\d+ are used\. It was ended/)
    expect(iris.rows('SELECT outcome FROM turns ORDER BY sequence')).toEqual([
      { outcome: 'failed' },
      { outcome: 'completed' },
    ])
    const { used, left } = await treeOf(iris, root.turnId)
    expect(used['cost']).toBeGreaterThan(0.02)
    expect(left).toEqual({ cost: 0 })
  })

  test('tokens are counted while a turn runs: it is interrupted after the call that was too much', {
    tags: ['thorough'],
  }, async () => {
    let calls = 0
    const script: Script = () => {
      calls += 1
      return { text: `call ${calls}. `, toolUses: [{ name: 'Bash', input: { command: 'true' } }], inputTokens: 30_000 }
    }
    const yes = { grantPermission: 'yes', dangerous: true }
    await using iris = await TestIris.start({ script, teams: { backend: yes } })
    const turn = await ask(iris, 'backend', 'loop', { budget: { tokens: 100_000 } })
    expect(turn).toMatchObject({ status: 'failed', reason: 'over_budget', delivered: true })
    expect(turn.partialResponse).toContain('call 3. ')
    // The interrupt crosses the call after that one at the most.
    expect(calls).toBeLessThanOrEqual(6)
    expect((await treeOf(iris, turn.turnId)).used['tokens']).toBeGreaterThan(100_000)
  })
})

describe('with a clock that jumps', () => {
  const holds = (file: (name: string) => string) => ({
    rules: [
      { when: 'to="web"', steps: [{ partial: 'Web thinks ' }, { waitForFile: file('never') }] },
      ...[
        ['backend', 'mobile'],
        ['mobile', 'web'],
      ].map(([to, toTeam]) => ({
        when: `to="${to}"`,
        steps: [{ mcpCall: { name: 'send_message', arguments: { toTeam, message: 'think', timeout: 0 } } }],
      })),
    ],
  })
  const budget = { time: 60_000 }

  test('when its time is over a tree ends, three deep, and each turn says why', async () => {
    await using stage = await Stage.start({ script: holds, teams: [...teams, fromTeam], settings: { budget } })
    const { turnId } = await ask(stage.iris, 'backend', 'go', { fromTeam, timeout: -1 })
    const deepest = await stage.said('Web thinks ')
    await stage.clock.jump(30_000)
    expect(await stage.status(turnId)).toMatchObject({ status: 'async', tree: { budget } })
    await stage.clock.jump(30_000)
    for (const each of [turnId, deepest]) {
      const end = await stage.status(each, 0)
      expect(end).toMatchObject({ status: 'failed', reason: 'over_budget' })
      expect(end.detail).toContain(`Turn ${turnId} (frontend→backend) may use 60000 ms`)
    }
    // The turn between them may end last.
    await expect.poll(() => stage.iris.rows('SELECT DISTINCT reason FROM turns')).toEqual([{ reason: 'over_budget' }])
    expect(await stage.status(deepest)).not.toHaveProperty('tree')
  })

  test('the time of a tree goes on while Iris does not run', async () => {
    await using stage = await Stage.start({ script: holds, teams: [...teams, fromTeam], settings: { budget } })
    const { turnId } = await ask(stage.iris, 'backend', 'go', { fromTeam, timeout: -1 })
    await stage.said('Web thinks ')
    await stage.iris.daemon.stop(0)
    await stage.clock.jump(budget.time)
    await stage.iris.restart()
    expect(await ended(stage.iris, turnId)).toMatchObject({ status: 'failed', reason: 'over_budget' })
    await expect.poll(() => stage.iris.rows('SELECT DISTINCT reason FROM turns')).toEqual([{ reason: 'over_budget' }])
  })
})

describe('whose budget it is', () => {
  const echo = { rules: [{ steps: [{ text: 'said' }] }] }

  test('an agent cannot give more than there is, and can give less', { tags: ['thorough'] }, async () => {
    const relay = (toTeam: string, budget?: object) => ({
      when: `to="${toTeam === 'mobile' ? 'backend' : 'mobile'}"`,
      steps: [
        {
          mcpCall: {
            name: 'send_message',
            arguments: { toTeam, message: 'go', timeout: 0, ...(budget && { budget }) },
          },
        },
      ],
    })
    const script = { rules: [relay('mobile', { turns: 1 }), relay('web', { turns: 99 }), ...echo.rules] }
    await using stage = await Stage.start({ script, teams, settings: { budget: { turns: 2 } } })
    const { turnId } = await ask(stage.iris, 'backend', 'go')
    const rows = stage.iris.rows('SELECT parent_turn AS parent, budget FROM turns ORDER BY sequence')
    expect(rows).toEqual([
      { parent: null, budget: '{"turns":2}' },
      { parent: turnId, budget: '{"turns":1}' },
    ])
  })

  test('two messages do not share one', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: echo, settings: { budget: { turns: 1 } } })
    for (const message of ['one', 'two'])
      expect(await ask(stage.iris, 'backend', message)).toMatchObject({ status: 'completed' })
  })

  test('what was used before a restart counts after it', async () => {
    const script = (file: (name: string) => string) => ({
      flushDelayMs: 0,
      rules: [
        { when: 'to="mobile"', steps: [{ text: 'x'.repeat(4000) }] },
        {
          when: 'continuation',
          steps: [{ mcpCall: { name: 'send_message', arguments: { toTeam: 'mobile', message: 'again', timeout: 0 } } }],
        },
        {
          steps: [
            { mcpCall: { name: 'send_message', arguments: { toTeam: 'mobile', message: 'once', timeout: 0 } } },
            { partial: 'Now wait ' },
            { waitForFile: file('never') },
          ],
        },
      ],
    })
    await using stage = await Stage.start({ script, teams })
    const { turnId } = await ask(stage.iris, 'backend', 'go', { timeout: -1, budget: { turns: 2 } })
    await stage.said('Now wait ')
    await stage.iris.restart()
    await ended(stage.iris, turnId)
    expect(stage.iris.rows('SELECT COUNT(*) AS turns FROM turns')).toEqual([{ turns: 2 }])
    expect(await treeOf(stage.iris, turnId)).toMatchObject({ used: { turns: 2 }, left: { turns: 0 } })
  })
})
