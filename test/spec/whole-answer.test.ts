import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { Stage, type StageOptions } from '../support/stage.ts'
import { firstIn } from '../support/tier.ts'
import { createWorld } from '../support/world.ts'

type Rules = NonNullable<Script['rules']>
type File = (name: string) => string

const fromTeam = 'frontend'
const lingerMs = 5000
/** Nobody is asked whether he lives while the clock jumps. */
const responseTimeout = 2 ** 30
const yes = { grantPermission: 'yes', dangerous: true }
const teams = { frontend: {}, backend: yes, mobile: yes }

const agent = (file: File, id: string, more: object = {}) => ({
  backgroundAgent: { id, endsAfterFile: file(id), ...more },
})
/** What is said of the end of an agent. */
const newsOf = (id: string, ...steps: Rules[number]['steps']) => ({ when: `<task-id>${id}</task-id>`, steps })

/** A build that lists its tasks, and one that does not: the same words for the caller. */
const builds: readonly [string, { readonly older?: true }][] = [
  ['newer', {}],
  ['older', { older: true }],
]
describe.each(firstIn(builds))('by the lines of builds that are %s', (_, build) => {
  const begin = async (rules: (file: File) => Rules, options: Pick<StageOptions, 'movesMachine'> = {}) => {
    const script = (file: File): Script => ({ ...build, flushDelayMs: 0, rules: [...rules(file)] })
    const stage = await Stage.start({ script, teams, ...options })
    const { turnId } = await ask(stage.iris, 'backend', 'look', { fromTeam, timeout: -1 })
    await stage.said('said')
    return { stage, turnId }
  }
  const answerOf = ({ stage, turnId }: Awaited<ReturnType<typeof begin>>) => stage.status(turnId, 0)
  /** Its own result has come. */
  const waits = ({ iris }: Stage) =>
    iris.event('turn-message', ({ message }) => (message as { type: string }).type === 'result')

  test('two agents: the answer is the text of all results, in order', async () => {
    const begun = await begin((file) => [
      newsOf('a1', { text: 'found one' }),
      newsOf('a2', { text: 'found two' }),
      { when: 'look', steps: [agent(file, 'a1'), agent(file, 'a2'), { text: 'said' }] },
    ])
    await using stage = begun.stage
    await waits(stage)
    stage.fake.open('a2')
    await stage.said('found two')
    expect(await stage.status(begun.turnId)).toMatchObject({ status: 'async' })
    stage.fake.open('a1')
    expect(await answerOf(begun)).toMatchObject({ status: 'completed', response: 'said\n\nfound two\n\nfound one' })
  })

  test('a report without a text adds nothing', async () => {
    const begun = await begin((file) => [
      newsOf('a1', { result: { result: '' } }),
      { when: 'look', steps: [agent(file, 'a1'), { text: 'said' }] },
    ])
    await using stage = begun.stage
    stage.fake.open('a1')
    expect(await answerOf(begun)).toMatchObject({ status: 'completed', response: 'said' })
  })

  test('a report that begins another agent is followed by that one’s', async () => {
    const begun = await begin((file) => [
      newsOf('a1', agent(file, 'a2'), { text: 'more to come' }),
      newsOf('a2', { text: 'found' }),
      { when: 'look', steps: [agent(file, 'a1'), { text: 'said' }] },
    ])
    await using stage = begun.stage
    stage.fake.open('a1')
    await stage.said('more to come')
    stage.fake.open('a2')
    expect(await answerOf(begun)).toMatchObject({ status: 'completed', response: 'said\n\nmore to come\n\nfound' })
  })

  test('an agent of an agent: its end is no report, and the answer waits for the outer one', async () => {
    const begun = await begin((file) => [
      newsOf('a1', { text: 'found' }),
      {
        when: 'look',
        steps: [agent(file, 'a1', { nested: { id: 'n1', endsAfterFile: file('n1') } }), { text: 'said' }],
      },
    ])
    await using stage = begun.stage
    await waits(stage)
    stage.fake.open('n1')
    const isEnded = ({ message }: { message: unknown }) =>
      (message as { subtype?: string; task_id?: string }).subtype === 'task_updated'
    await stage.iris.event('turn-message', isEnded)
    expect(await stage.status(begun.turnId)).toMatchObject({ status: 'async' })
    stage.fake.open('a1')
    expect(await answerOf(begun)).toMatchObject({ status: 'completed', response: 'said\n\nfound' })
  })

  test('a cancel while it waits ends it though no result follows, and the process goes on', async () => {
    const begun = await begin((file) => [
      { when: 'next', steps: [{ text: 'yes' }] },
      { when: 'look', steps: [agent(file, 'a1'), { text: 'said' }] },
    ])
    await using stage = begun.stage
    await waits(stage)
    await callTool(stage.iris, 'session_cancel', { turnId: begun.turnId })
    expect(await stage.status(begun.turnId, 0)).toMatchObject({ status: 'cancelled', partialResponse: 'said' })
    expect(await ask(stage.iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'yes' })
    expect(stage.starts()).toEqual(['start'])
  })

  test('an agent that ended and is never reported holds the answer for a moment only', async () => {
    const begun = await begin(
      (file) => [{ when: 'look', steps: [agent(file, 'a1', { reports: false }), { text: 'said' }] }],
      { movesMachine: true },
    )
    await using stage = begun.stage
    await waits(stage)
    const before = stage.clock.everSet(lingerMs)
    stage.fake.open('a1')
    await eventually(() => stage.clock.everSet(lingerMs) > before, 'it waits for the report')
    await stage.clock.jump(lingerMs)
    expect(await answerOf(begun)).toMatchObject({ status: 'completed', response: 'said' })
  })
})

describe('backgroundTimeout', () => {
  const waiting = (file: File): Script => ({
    rules: [{ when: 'look', steps: [agent(file, 'a1'), { text: 'said' }] }],
  })
  const look = async (stage: Stage, team: string, timeout: number) => {
    const { turnId } = await ask(stage.iris, team, 'look', { fromTeam, timeout: -1 })
    await eventually(() => stage.clock.pending(timeout) > 0, `${team} waits ${timeout} ms at the most`)
    return turnId
  }
  const ended = { status: 'timed_out', reason: 'background_timeout', partialResponse: 'said' }

  test('of a team stands above that of the settings', async () => {
    const settings = { backgroundTimeout: 712_345, responseTimeout }
    await using stage = await Stage.start({
      script: waiting,
      teams: { ...teams, mobile: { ...yes, backgroundTimeout: 61_777 } },
      settings,
    })
    const slow = await look(stage, 'backend', 712_345)
    const quick = await look(stage, 'mobile', 61_777)
    await stage.clock.jump(61_777)
    expect(await stage.status(quick, 0)).toMatchObject({ ...ended, detail: expect.stringContaining('61777 ms') })
    expect(await stage.status(slow)).toMatchObject({ status: 'async' })
    await stage.clock.jump(650_568)
    expect(await stage.status(slow, 0)).toMatchObject({ ...ended, detail: expect.stringContaining('712345 ms') })
  })

  test('that is saved counts for what waits already', async () => {
    await using stage = await Stage.start({
      script: waiting,
      teams,
      settings: { backgroundTimeout: 61_777, responseTimeout },
    })
    const turnId = await look(stage, 'backend', 61_777)
    stage.iris.world.writeConfig({ settings: { backgroundTimeout: 212_345 } })
    await stage.iris.event('config-reloaded')
    await stage.clock.jump(61_777)
    expect(await stage.status(turnId)).toMatchObject({ status: 'async' })
    await stage.clock.jump(150_568)
    expect(await stage.status(turnId, 0)).toMatchObject({ ...ended, detail: expect.stringContaining('212345 ms') })
  })
})

test('a report that the daemon did not live to read is part of the answer, which nobody works out again', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      flushDelayMs: 0,
      rules: [newsOf('a1', { text: 'found' }), { when: 'look', steps: [agent(file, 'a1'), { text: 'said' }] }],
    }),
  })
  const settings = { claudePath: fake.claudePath, env: { ...fake.env } }
  await using world = await createWorld({ teams, settings })
  await using first = await DaemonProcess.start(world)
  const { turnId } = await ask(first, 'backend', 'look', { fromTeam, timeout: -1 })
  const partial = async () => (await callTool(first, 'message_status', { turnId }))['partialResponse']
  await eventually(async () => (await partial()) === 'said', 'it has said something')
  // It hears nothing any more, and is killed before it can.
  process.kill(first.pid, 'SIGSTOP')
  fake.open('a1')
  const projects = join(world.claudeDirectory, 'projects')
  const transcripts = () =>
    readdirSync(projects, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => readFileSync(join(projects, name), 'utf8'))
  await eventually(() => transcripts().some((text) => text.includes('"found"')), 'the report is in the transcript')
  await first.kill()

  await using second = await nextDaemon(world)
  expect(await callTool(second, 'message_status', { turnId, timeout: 0 })).toMatchObject({
    status: 'completed',
    response: 'said\n\nfound',
  })
  expect(fake.oracle().filter(({ event }) => event === 'start' || event === 'resume')).toHaveLength(1)
})
