import { describe, expect, test } from 'vitest'
import type { SwitchboardSession } from '../../src/base/protocol/session-view.ts'
import { ask, callTool, type Endpoint } from '../support/call-tool.ts'
import { EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { Stage } from '../support/stage.ts'

interface Switchboard {
  readonly teams: readonly Record<string, unknown>[]
  readonly sessions: readonly SwitchboardSession[]
  readonly traffic: readonly Record<string, unknown>[]
  readonly pool: Readonly<Record<string, number>>
  readonly nextCursor?: string
}

async function look(endpoint: Endpoint, query = ''): Promise<Switchboard> {
  const response = await fetch(`http://127.0.0.1:${endpoint.port}/api/switchboard${query}`, {
    headers: { authorization: `Bearer ${endpoint.token}` },
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Switchboard
}

/** One answer waits for the file `gate`. */
const gated = (file: (name: string) => string) => ({
  rules: [{ when: 'wait', steps: [{ waitForFile: file('gate') }, { text: 'at last' }] }],
})

describe('GET /api/switchboard', () => {
  test('tells of the teams, their conversations and all that lives of them', async () => {
    await using stage = await Stage.start({
      teams: { backend: { description: 'the API', color: '#336699' }, frontend: {} },
      script: gated,
    })
    const { iris, fake } = stage
    await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
    await ask(iris, 'backend', 'please wait', { fromTeam: 'frontend', timeout: -1 })
    const second = await ask(iris, 'backend', 'and then', { fromTeam: 'frontend', timeout: -1 })
    const { teams, sessions, traffic, pool } = await look(iris, '?memory=true')
    expect(teams).toEqual([
      {
        name: 'backend',
        description: 'the API',
        color: '#336699',
        path: iris.world.directory('backend'),
        terminalCommand: `cd ${iris.world.directory('backend')} && ${fake.claudePath} --resume `,
      },
      expect.objectContaining({ name: 'frontend' }),
    ])
    const { pid } = await iris.event('process-spawned')
    expect(sessions).toEqual([
      {
        from: 'frontend',
        to: 'backend',
        thread: 'main',
        status: 'active',
        origin: 'new',
        sessionId: expect.any(String),
        createdAt: expect.any(Number),
        lastUsedAt: expect.any(Number),
        lastAnswerAt: expect.any(Number),
        startedAt: expect.any(Number),
        messageCount: 1,
        queueLength: 1,
        runningTurnId: expect.any(String),
        processState: 'processing',
        pid,
        starts: 1,
        memoryBytes: expect.any(Number),
        contextTokens: expect.any(Number),
        contextWindow: expect.any(Number),
        costUsd: expect.any(Number),
        lastTurn: { turnId: second.turnId, status: 'queued', message: 'and then', acceptedAt: expect.any(Number) },
      },
    ])
    expect(sessions[0]!.memoryBytes).toBeGreaterThan(1e6)
    expect(traffic).toEqual([{ from: 'frontend', to: 'backend', lastHour: 3, lastDay: 3, lastAt: expect.any(Number) }])
    expect(pool).toEqual({ activeProcesses: 1, maxProcesses: 10 })
    fake.open('gate')
    await stage.status(second.turnId, 0)
  })

  test('sums up what a conversation has cost over all its turns', async () => {
    await using stage = await Stage.start()
    const answers = [await ask(stage.iris, 'backend', 'one'), await ask(stage.iris, 'backend', 'two')]
    const cost = answers.reduce((sum, { usage }) => sum + usage!.costUsd!, 0)
    expect(cost).toBeGreaterThan(0)
    const [session] = (await look(stage.iris)).sessions
    expect(session!.costUsd).toBeCloseTo(cost, 9)
  })

  test('counts traffic of the last hour and the last day apart', async () => {
    await using stage = await Stage.start()
    await ask(stage.iris, 'backend', 'early')
    await stage.clock.jump(2 * 3_600_000)
    await ask(stage.iris, 'backend', 'late')
    expect((await look(stage.iris)).traffic).toMatchObject([{ from: 'external', lastHour: 1, lastDay: 2 }])
    await stage.clock.jump(25 * 3_600_000)
    expect((await look(stage.iris)).traffic).toEqual([])
  })

  test('comes in pages, the first of which has all that is at work', async () => {
    await using stage = await Stage.start({ settings: { maxProcesses: 1 } })
    const { iris, clock } = stage
    await ask(iris, 'mobile', 'the process that stays')
    for (const thread of ['a', 'b', 'c']) {
      stage.iris.daemon.parts.sessionRegistry.open({ from: 'external', to: 'backend', thread })
      await clock.jump(10)
    }
    const first = await look(iris, '?limit=2')
    expect(first.sessions.map(({ thread, to }) => `${to} ${thread}`)).toEqual(['backend c', 'backend b', 'mobile main'])
    const second = await look(iris, `?limit=2&cursor=${first.nextCursor}`)
    expect(second.sessions.map(({ thread }) => thread)).toEqual(['a', 'main'])
    expect(second).not.toHaveProperty('nextCursor')
    expect((await look(iris, '?awake=true')).sessions).toMatchObject([{ to: 'mobile', processState: 'idle' }])
  })

  test('has the archived ones on request, with why', async () => {
    await using stage = await Stage.start()
    await ask(stage.iris, 'backend', 'hello')
    await callTool(stage.iris, 'session_delete', { team: 'backend' })
    expect((await look(stage.iris)).sessions).toEqual([])
    expect((await look(stage.iris, '?status=archived')).sessions).toMatchObject([
      { status: 'archived', archivedWhy: 'deleted on request', processState: 'stopped', messageCount: 1 },
    ])
  })
})

/** How a session stands by the last that was told of it, once that fits. */
function stands(stream: EventStream, what: string, fits: (session: SwitchboardSession) => unknown) {
  return eventually(() => {
    const last = stream.received.findLast(({ type }) => type === 'session-changed')
    const session = last?.data['session'] as SwitchboardSession | undefined
    return session && fits(session) ? session : undefined
  }, what)
}

describe('a reader of the stream', () => {
  test('is told how a session stands: at work, with a queue, answered, asleep, archived', async () => {
    await using stage = await Stage.start({ script: gated })
    const { iris, fake } = stage
    await using stream = await EventStream.open(iris)
    await stream.next('snapshot')
    await ask(iris, 'backend', 'please wait', { timeout: -1 })
    const { turnId } = await ask(iris, 'backend', 'then', { timeout: -1 })
    await stands(stream, 'it works, one waits', (now) => now.processState === 'processing' && now.queueLength === 1)
    fake.open('gate')
    await stage.status(turnId, 0)
    const idle = await stands(stream, 'all is answered', (now) => now.processState === 'idle' && now.messageCount === 2)
    expect(idle).toMatchObject({ queueLength: 0, contextTokens: expect.any(Number), starts: 1 })
    expect(idle).not.toHaveProperty('runningTurnId')
    await callTool(iris, 'team_sleep', { team: 'backend' })
    const asleep = await stands(stream, 'it sleeps', (now) => now.processState === 'stopped' && !('pid' in now))
    expect(asleep).not.toHaveProperty('pid')
    expect(stream.received.findLast(({ type }) => type === 'session-changed')!.data).toMatchObject({
      activeProcesses: 0,
      maxProcesses: 10,
    })
    await callTool(iris, 'session_delete', { team: 'backend' })
    await stands(stream, 'it is archived', ({ status }) => status === 'archived')
  })

  test('sees a process come and go', async () => {
    await using stage = await Stage.start()
    await using stream = await EventStream.open(stage.iris)
    await stream.next('snapshot')
    await ask(stage.iris, 'backend', 'hello')
    await callTool(stage.iris, 'team_sleep', { team: 'backend' })
    await stream.next('process-state', ({ state }) => state === 'stopped')
    const states = stream.received.flatMap(({ type, data }) => (type === 'process-state' ? [data['state']] : []))
    expect(states).toEqual(['spawning', 'idle', 'terminating', 'stopped'])
  })

  test('is told that a process failed and was started again, and that it is left alone', async () => {
    await using stage = await Stage.start({
      script: (file) => ({
        flushDelayMs: 0,
        rules: [{ when: 'crash', onceFile: file('crashed'), steps: [{ kill: 'SIGKILL' }] }],
      }),
    })
    const { pool, sessionRegistry: sessions } = stage.iris.daemon.parts
    await using stream = await EventStream.open(stage.iris)
    await ask(stage.iris, 'backend', 'hello')
    await ask(stage.iris, 'backend', 'crash')
    await stands(stream, 'it was started again', ({ starts, failures }) => starts === 2 && failures === 1)
    const [session] = [...sessions.all()]
    for (let time = 1; time < 5; time += 1) pool.breakers.failed(session!, 'no space left')
    const broken = await stands(stream, 'it is left alone', ({ breaker }) => breaker !== undefined)
    expect(broken).toMatchObject({ failures: 5, breaker: { state: 'open', cause: 'no space left' } })
  })
})
