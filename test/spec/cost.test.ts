import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, contractVersions } from '../support/real-claude.ts'

/** How many answers Claude Code's own transcript holds. */
function answersOnDisk(iris: TestIris, sessionId: string): number {
  const projects = join(iris.world.root, '.claude', 'projects')
  const file = readdirSync(projects, { recursive: true }).find((path) => String(path).endsWith(`${sessionId}.jsonl`))
  return readFileSync(join(projects, String(file)), 'utf8').split('"stop_reason":"end_turn"').length - 1
}

describe.each(contractVersions)('with Claude Code %s', (version) => {
  test('each message costs what it took, and the conversation their sum: after sleep, a kill, a restart, in a fork', async () => {
    await using iris = await TestIris.start({
      script: () => ({ text: 'ok', inputTokens: 1000 }),
      settings: { claudePath: claudeBinary(version) },
    })
    const costs: number[] = []
    const pids: number[] = []
    iris.events$.subscribe((event) => event.type === 'process-spawned' && pids.push(event.pid))
    const pay = async (args = {}) => costs.push((await ask(iris, 'backend', 'x', args)).usage!.costUsd!)
    await pay()
    await pay()
    await callTool(iris, 'team_sleep', { team: 'backend' })
    await pay()
    const { sessionId } = await iris.event('turn-settled')
    const isWritten = () => answersOnDisk(iris, sessionId) === 3
    await eventually(isWritten, 'the answers are in the transcript')
    process.kill(pids.at(-1)!, 'SIGKILL')
    await iris.event('process-exited', ({ signal }) => signal === 'SIGKILL')
    await pay()
    await iris.restart()
    await pay()
    await callTool(iris, 'session_fork', { toTeam: 'backend', newThread: 'try' })
    await pay({ thread: 'try' })
    const [once] = costs
    expect(once).toBeGreaterThan(0)
    for (const cost of costs) expect(cost).toBeCloseTo(once!, 9)
    const sessions = iris.rows('SELECT thread, cost_usd AS cost FROM team_sessions ORDER BY id')
    expect(sessions).toEqual([
      { thread: 'main', cost: expect.closeTo(5 * once!, 9) },
      { thread: 'try', cost: expect.closeTo(once!, 9) },
    ])
  })
})

test('a compaction is part of what a conversation costs', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start({
    script: () => ({ text: 'ok', inputTokens: 850_000 }),
    compaction: () => ({ text: '<summary>all of it</summary>' }),
  })
  const { usage } = await ask(iris, 'backend', 'x')
  await iris.event('session-context', ({ isFull }) => !isFull)
  const [row] = iris.rows('SELECT cost_usd AS cost FROM team_sessions')
  expect(row!['cost']).toBeGreaterThan(usage!.costUsd!)
})
