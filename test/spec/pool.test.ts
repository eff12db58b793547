import { describe, expect, test } from 'vitest'
import type { PublishedEvent } from '../../src/base/protocol/event.ts'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { deliveredUuids, type OracleEntry } from '../support/oracle.ts'
import { Stage } from '../support/stage.ts'
import { createWorld } from '../support/world.ts'

const fromTeam = 'frontend'
const queueTimeout = 70_000

/** Answers with the number of the turn in its conversation; told to hold, it waits for a gate of that name. */
const counts = (file: (name: string) => string) => ({
  rules: [
    { when: 'hold a', steps: [{ partial: 'held a' }, { waitForFile: file('a') }, { text: '.' }] },
    { when: 'hold b', steps: [{ partial: 'held b' }, { waitForFile: file('b') }, { text: '.' }] },
    { steps: [{ text: 'turn {{turnNumber}}' }] },
  ],
})

function say(stage: Stage, message: string, thread: string): Promise<TurnResult> {
  return ask(stage.iris, 'backend', message, { fromTeam, thread })
}

/** Threads whose process was ended, and why. */
function terminations(stage: Stage): string[] {
  const found: string[] = []
  const note = (event: PublishedEvent): void => {
    if (event.type === 'process-terminated') found.push(`${event.thread}: ${event.why}`)
  }
  stage.iris.events$.subscribe(note).unsubscribe()
  return found
}

/** Processes that ended with a message they had not answered. */
function endedAtWork(entries: readonly OracleEntry[]): number[] {
  const open = new Map<number, number>()
  const count = (pid: number, by: number): void => void open.set(pid, (open.get(pid) ?? 0) + by)
  return entries.flatMap((entry) => {
    if (entry.event === 'message' && entry.ran) count(entry.pid, 1)
    if (entry.event === 'answer') count(entry.pid, -1)
    return entry.event === 'exit' && open.get(entry.pid) !== 0 ? [entry.pid] : []
  })
}

const evicted = 'evicted: least recently used'

describe('a full pool', () => {
  test('gives up the idle process that was used longest ago', async () => {
    await using stage = await Stage.start({ script: counts, settings: { maxProcesses: 2 } })
    for (const [index, thread] of ['first', 'second', 'first', 'third'].entries()) {
      await say(stage, String(index + 1), thread)
      await stage.clock.jump(1)
    }
    expect(terminations(stage)).toEqual([`second: ${evicted}`])
    expect(await say(stage, '5', 'second')).toMatchObject({ response: 'turn 2' })
    expect(terminations(stage)).toEqual([`second: ${evicted}`, `first: ${evicted}`])
  })

  test('never gives up a busy one, however long ago it was last used', async () => {
    await using stage = await Stage.start({ script: counts, settings: { maxProcesses: 2 } })
    const held = say(stage, 'hold a', 'busy')
    await stage.said('held a')
    await say(stage, '1', 'idle')
    await say(stage, '2', 'other')
    expect(terminations(stage)).toEqual([`idle: ${evicted}`])
    stage.fake.open('a')
    expect(await held).toMatchObject({ status: 'completed', response: 'held a.' })
    expect(stage.starts()).toEqual(['start', 'start', 'start'])
  })

  test('ends nobody at work under load, and everyone gets his answer', async () => {
    const script = { rules: [{ steps: [{ delayMs: 5 }, { text: '{{turnNumber}}' }] }] }
    await using stage = await Stage.start({ script, settings: { maxProcesses: 3 } })
    const threads = Array.from({ length: 6 }, (_, index) => `t${index}`)
    const rounds = await Promise.all(
      ['1', '2', '3'].map((round) => Promise.all(threads.map((thread) => say(stage, round, thread)))),
    )
    const answers = rounds.map((round) => round.map(({ response }) => response))
    expect(answers).toEqual(['1', '2', '3'].map((round) => threads.map(() => round)))
    expect(terminations(stage).length).toBeGreaterThan(2)
    expect(endedAtWork(stage.fake.oracle())).toEqual([])
  })

  test('says in the log whom it gave up', { tags: ['thorough'] }, async () => {
    using fake = fakeClaude()
    const settings = { claudePath: fake.claudePath, env: { ...fake.env }, maxProcesses: 1, logLevel: 'info' }
    await using world = await createWorld({ settings })
    await using daemon = await DaemonProcess.start(world)
    await ask(daemon, 'backend', '1', { fromTeam })
    await ask(daemon, 'mobile', '2', { fromTeam })
    const line = await eventually(() => daemon.log.split('\n').find((text) => text.includes('evicted')), 'the log')
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      context: 'process:backend',
      pair: 'frontend→backend',
      message: 'Process ended: evicted: least recently used',
    })
  })
})

describe('a pool in which all are busy', () => {
  test('lets the others wait, and answers them in the order in which they came', async () => {
    await using stage = await Stage.start({ script: counts, settings: { maxProcesses: 1, queueTimeout } })
    const { iris, clock, fake } = stage
    const settled: string[] = []
    iris.events$.subscribe((event) => event.type === 'turn-settled' && settled.push(event.thread))
    const asked = [say(stage, 'hold a', 'busy')]
    await stage.said('held a')
    for (const [index, thread] of ['b', 'c', 'd'].entries()) {
      asked.push(say(stage, 'hello', thread))
      await eventually(() => clock.pending(queueTimeout) === index + 1, 'it waits')
    }
    fake.open('a')
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(4).fill('completed'))
    expect(settled).toEqual(['busy', 'b', 'c', 'd'])
    expect(clock.pending(queueTimeout)).toBe(0)
  })

  test('takes the message with the highest priority first, whichever conversation it is in', async () => {
    await using stage = await Stage.start({ script: counts, settings: { maxProcesses: 1, queueTimeout } })
    const { iris, clock, fake } = stage
    const settled: string[] = []
    iris.events$.subscribe((event) => event.type === 'turn-settled' && settled.push(event.thread))
    const asked = [say(stage, 'hold a', 'busy')]
    await stage.said('held a')
    for (const [index, priority] of ['low', 'normal', 'high', 'normal'].entries()) {
      const thread = `${priority}-${index}`
      asked.push(ask(iris, 'backend', 'hello', { fromTeam, thread, priority }))
      await eventually(() => clock.pending(queueTimeout) === index + 1, 'it waits')
    }
    fake.open('a')
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(5).fill('completed'))
    expect(settled).toEqual(['busy', 'high-2', 'normal-1', 'normal-3', 'low-0'])
  })

  test('lets a pair that has more to say give way to one that waits', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: counts, settings: { maxProcesses: 1, queueTimeout } })
    const { iris, clock, fake } = stage
    const settled: string[] = []
    iris.events$.subscribe((event) => event.type === 'turn-settled' && settled.push(event.thread))
    const asked = [say(stage, 'hold a', 'talker')]
    await stage.said('held a')
    asked.push(say(stage, 'and another thing', 'talker'), say(stage, 'hello', 'other'))
    await eventually(() => clock.pending(queueTimeout) === 1, 'it waits')
    fake.open('a')
    expect((await Promise.all(asked)).map(({ response }) => response)).toEqual(['held a.', 'turn 2', 'turn 1'])
    expect(settled).toEqual(['talker', 'other', 'talker'])
  })

  test('lets them wait for queueTimeout and no longer, and names who has the processes', async () => {
    await using stage = await Stage.start({ script: counts, settings: { maxProcesses: 2, queueTimeout } })
    const { clock, fake } = stage
    const held = [say(stage, 'hold a', 'x'), say(stage, 'hold b', 'y')]
    await Promise.all([stage.said('held a'), stage.said('held b')])
    const late = say(stage, 'hello', 'z')
    await eventually(() => clock.pending(queueTimeout) === 1, 'it waits')
    await clock.jump(queueTimeout)
    const ended = await late
    expect(ended).toMatchObject({ status: 'failed', reason: 'queue_timeout', delivered: false })
    for (const holder of ['frontend→backend (x)', 'frontend→backend (y)']) expect(ended.detail).toContain(holder)
    fake.open('a')
    fake.open('b')
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(await say(stage, 'hello', 'z')).toMatchObject({ status: 'completed', response: 'turn 1' })
  })

  test('refuses after queueTimeout to wake another, and names who has the processes', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script: counts, settings: { maxProcesses: 1, queueTimeout } })
    const { iris, clock, fake } = stage
    const held = say(stage, 'hold a', 'x')
    await stage.said('held a')
    const woken = refusal(iris, 'team_wake', { team: 'mobile', fromTeam })
    await eventually(() => clock.pending(queueTimeout) === 1, 'it waits')
    await clock.jump(queueTimeout)
    expect(await woken).toMatchObject({
      code: 'no_free_process',
      message: expect.stringContaining('frontend→backend (x)'),
      remedy: expect.stringContaining('maxProcesses'),
    })
    fake.open('a')
    await held
  })
})

describe('a process that nobody needs', () => {
  test('is ended after idleTimeout, and the next message resumes its conversation', async () => {
    await using stage = await Stage.start({
      script: counts,
      teams: { frontend: {}, backend: { idleTimeout: 50_000 }, mobile: {} },
      // Not a minute: the daemon has its own clock that counts those.
      settings: { idleTimeout: 70_000 },
    })
    const { iris, clock } = stage
    const first = await say(stage, '1', 'main')
    await ask(iris, 'mobile', '1', { fromTeam })
    await eventually(() => clock.pending(50_000) === 1 && clock.pending(70_000) === 1, 'both are idle')
    await clock.jump(50_000)
    expect(await iris.event('process-terminated')).toMatchObject({ teamName: 'backend', why: 'idle for 50000 ms' })
    expect(await say(stage, '2', 'main')).toMatchObject({ response: 'turn 2', sessionId: first.sessionId })
    expect(terminations(stage)).toHaveLength(1)
  })

  test('is left alone at its idleTimeout while something runs in its background, and ended one later', async () => {
    const script = (file: (name: string) => string) => ({
      rules: [
        {
          when: 'background',
          steps: [{ backgroundTask: { id: 'b1', endsAfterFile: file('end') } }, { text: 'on it' }],
        },
      ],
    })
    await using stage = await Stage.start({ script, settings: { idleTimeout: 60_000 } })
    const { iris, clock, fake } = stage
    await say(stage, 'do it in the background', 'main')
    await clock.jump(60_000)
    fake.open('end')
    await eventually(() => fake.oracle().filter(({ event }) => event === 'answer').length === 2, 'its own turn')
    expect(terminations(stage)).toEqual([])
    await clock.jump(60_000)
    expect(await iris.event('process-terminated')).toMatchObject({ why: 'idle for 60000 ms' })
  })

  test('that neither ends with its input nor on SIGTERM is killed', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: { ignoreInputEnd: true, ignoreTerm: true }, movesMachine: true })
    const { iris, clock } = stage
    await say(stage, '1', 'main')
    const slept = callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    for (const _ of ['SIGTERM', 'SIGKILL']) {
      await eventually(() => clock.pending(5000) === 1, 'it is waited for')
      await clock.jump(5000)
    }
    expect(await slept).toMatchObject({ status: 'asleep' })
    expect(await iris.event('process-exited')).toMatchObject({ signal: 'SIGKILL' })
  })
})

describe('team_wake and team_sleep', () => {
  const pair = { team: 'backend', fromTeam }

  test('waking starts the process and says nothing to it; the next message finds it warm', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script: counts })
    const { iris, fake } = stage
    expect(await callTool(iris, 'team_wake', pair)).toMatchObject({ status: 'awake', alreadyAwake: false })
    expect(await callTool(iris, 'team_wake', pair)).toMatchObject({ status: 'awake', alreadyAwake: true })
    expect(deliveredUuids(fake.oracle())).toEqual([])
    expect(await say(stage, '1', 'main')).toMatchObject({ response: 'turn 1' })
    expect(stage.starts()).toEqual(['start'])
  })

  test('putting to sleep keeps the conversation, and a second time there is nothing to do', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script: counts })
    const { iris } = stage
    await say(stage, '1', 'main')
    expect(await callTool(iris, 'team_sleep', pair)).toMatchObject({ status: 'asleep' })
    expect(await callTool(iris, 'team_sleep', pair)).toMatchObject({ status: 'already_asleep' })
    expect(await say(stage, '2', 'main')).toMatchObject({ response: 'turn 2' })
    expect(stage.starts()).toEqual(['start', 'resume'])
  })

  test('touch only the named pair', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: counts })
    const { iris } = stage
    await say(stage, '1', 'main')
    await say(stage, '1', 'review')
    await ask(iris, 'backend', '1', { fromTeam: 'mobile' })
    await callTool(iris, 'team_sleep', pair)
    expect(terminations(stage)).toEqual(['main: put to sleep'])
    const { teams } = (await callTool(iris, 'team_status', { team: 'backend' })) as {
      teams: { sessions: { from: string; thread: string; processState: string }[] }[]
    }
    const states = teams[0]!.sessions.map(({ from, thread, processState }) => `${from} ${thread} ${processState}`)
    expect(states.toSorted()).toEqual(['frontend main stopped', 'frontend review idle', 'mobile main idle'])
  })

  test('a pair at work is not put to sleep', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: counts })
    const { iris, fake } = stage
    const held = say(stage, 'hold a', 'main')
    const turnId = await stage.said('held a')
    expect(await refusal(iris, 'team_sleep', pair)).toMatchObject({
      code: 'process_busy',
      message: expect.stringContaining(turnId),
      remedy: expect.stringContaining('force'),
    })
    fake.open('a')
    expect(await held).toMatchObject({ status: 'completed', response: 'held a.' })
  })
})
