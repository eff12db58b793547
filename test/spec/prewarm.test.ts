import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { PublishedEvent } from '../../src/base/protocol/event.ts'
import { homePaths } from '../../src/platform/config/home.ts'
import { transcriptPath } from '../fake-claude/transcript-files.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { Stage, type StageOptions } from '../support/stage.ts'
import { spoken } from '../support/world.ts'

const mib = 2 ** 20
const dayMs = 86_400_000

/** Threads whose process was started since the last restart, in order. */
function started({ events$ }: TestIris): string[] {
  const found: string[] = []
  const note = (event: PublishedEvent): void => {
    if (event.type === 'process-spawned') found.push(event.thread)
  }
  events$.subscribe(note).unsubscribe()
  return found
}

test('the busiest pairs are awake after a restart, without a call to the model, and answer at once', async () => {
  await using iris = await TestIris.start({
    claude: 'either',
    script: ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') }),
    settings: { prewarmPairs: 1 },
  })
  const first = await ask(iris, 'backend', 'one', { fromTeam: 'mobile' })
  await ask(iris, 'backend', 'two', { fromTeam: 'mobile' })
  await ask(iris, 'backend', 'once', { fromTeam: 'frontend' })
  const { requests } = iris.world.model
  const asked = requests.turns + requests.sideRequests
  await iris.restart()
  await iris.daemon.warmed
  expect(await iris.event('process-spawned')).toMatchObject({ from: 'mobile', to: 'backend' })
  expect(started(iris)).toHaveLength(1)
  expect(requests.turns + requests.sideRequests).toBe(asked)
  const { sessionId, response } = await ask(iris, 'backend', 'three', { fromTeam: 'mobile' })
  expect({ sessionId, response }).toEqual({ sessionId: first.sessionId, response: 'one | two | three' })
  expect(started(iris)).toHaveLength(1)
})

describe('warming up', () => {
  /** Iris after a week in which thread `n` had n messages; it has not been restarted yet. */
  async function used(threads: number, options: StageOptions = {}): Promise<Stage> {
    const stage = await Stage.start({
      script: { flushDelayMs: 0 },
      ...options,
      settings: { prewarmPairs: 2, ...options.settings },
    })
    for (let n = 1; n <= threads; n++) {
      for (let count = 0; count < n; count++) await say(stage, String(n))
    }
    return stage
  }

  function say({ iris }: Stage, thread: string) {
    return ask(iris, 'backend', 'hello', { fromTeam: 'frontend', thread })
  }

  async function restarted({ iris }: Stage, availableMemory = 8000 * mib): Promise<string[]> {
    await iris.restart({ availableMemory: () => availableMemory })
    await iris.daemon.warmed
    return started(iris)
  }

  test('begins with the busiest, and starts no more than prewarmPairs', async () => {
    await using stage = await used(4)
    expect(await restarted(stage)).toEqual(['4', '3'])
  })

  test('leaves one place free', async () => {
    await using stage = await used(3, { settings: { maxProcesses: 2 } })
    expect(await restarted(stage)).toEqual(['3'])
  })

  test('counts the last week only', async () => {
    await using stage = await used(2, { settings: { prewarmPairs: 1 } })
    await stage.clock.jump(8 * dayMs)
    for (const thread of ['1', '1', '2']) await say(stage, thread)
    expect(await restarted(stage)).toEqual(['1'])
  })

  test('needs memory for all that it would start', async () => {
    await using stage = await used(2)
    expect(await restarted(stage, 599 * mib)).toEqual([])
    expect(await restarted(stage, 600 * mib)).toEqual(['2', '1'])
  })

  test('passes over a conversation that is lost, so that its next asker is told', async () => {
    await using stage = await used(2)
    const { iris } = stage
    const { sessionId } = await say(stage, '2')
    await iris.daemon.stop(0)
    rmSync(transcriptPath(iris.world.root, sessionId)!)
    rmSync(homePaths(iris.world.home).transcripts, { recursive: true, force: true })
    expect(await restarted(stage)).toEqual(['1'])
    expect(await say(stage, '2')).toMatchObject({ contextReset: expect.any(String) })
  })

  test('passes over a team that is gone', async () => {
    await using stage = await used(1, { settings: { prewarmPairs: 3 } })
    const { iris } = stage
    await ask(iris, 'mobile', 'hello', { fromTeam: 'frontend', thread: 'm' })
    await ask(iris, 'backend', 'hello', { fromTeam: 'mobile', thread: 'b' })
    const path = join(iris.world.home, 'config.yaml')
    const config = parse(readFileSync(path, 'utf8'))
    delete config.teams.mobile
    writeFileSync(path, stringify(config))
    expect(await restarted(stage)).toEqual(['1'])
  })

  test('tries once what does not start, and hurts nothing', async () => {
    const script = (file: (name: string) => string) => ({
      flushDelayMs: 0,
      exitAtStart: { code: 1, stderr: 'not now\n', unlessFile: file('well') },
    })
    await using stage = await Stage.start({ script, settings: { prewarmPairs: 2 } })
    stage.fake.open('well')
    const first = await say(stage, 'main')
    rmSync(stage.fake.file('well'))
    expect(await restarted(stage)).toEqual([])
    expect(stage.fake.oracle().filter(({ event }) => event === 'refused')).toHaveLength(1)
    stage.fake.open('well')
    expect(await say(stage, 'main')).toMatchObject({ status: 'completed', sessionId: first.sessionId })
  })

  test('is off with prewarmPairs 0', async () => {
    await using stage = await used(2, { settings: { prewarmPairs: 0 } })
    expect(await restarted(stage)).toEqual([])
    expect(await callTool(stage.iris, 'team_status')).toMatchObject({ pool: { activeProcesses: 0 } })
  })
})
