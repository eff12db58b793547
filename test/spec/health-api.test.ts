import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { agentOf } from '../../src/kernel/call/principal.ts'
import { callAs } from '../support/call-as.ts'
import { ask } from '../support/call-tool.ts'
import { EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { hurried } from '../support/hurried.ts'
import { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'
import { plainHttp } from '../support/plain-http.ts'
import { Stage } from '../support/stage.ts'

async function ready({ port }: { readonly port: number }) {
  const { status, body } = await plainHttp(port, 'GET', '/ready', {})
  return { status, body: JSON.parse(body) as { status: string; reasons?: string[] } }
}

const health = async (iris: TestIris) => (await asOwner(iris, 'get_health')) as never as Record<string, never>

test('whoever asks is told that Iris takes messages, and by its liveness address that it lives', async () => {
  await using stage = await Stage.start()
  expect(await ready(stage.iris)).toEqual({ status: 200, body: { status: 'ready' } })
  expect((await plainHttp(stage.iris.port, 'GET', '/health', {})).status).toBe(200)
})

test('before the processes of a former start have gone it is not ready', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start()
  await iris.daemon.recovered
  iris.daemon.parts.vitals.phase = 'recovering'
  expect(await ready(iris)).toMatchObject({
    status: 503,
    body: { reasons: [expect.stringContaining('recovering what')] },
  })
})

test('a store that another program holds makes it not ready, in words without a path', async () => {
  await using stage = await Stage.start()
  const { iris, clock } = stage
  const database = new DatabaseSync(iris.daemon.parts.storeFile.path)
  database.exec('BEGIN IMMEDIATE')
  await clock.jump(2000)
  const held = await ready(iris)
  expect(held).toEqual({ status: 503, body: { status: 'not ready', reasons: ['The store cannot be written.'] } })
  database.exec('ROLLBACK')
  database.close()
  await clock.jump(2000)
  expect((await ready(iris)).status).toBe(200)
})

test('while Iris lets the last turn end it is not ready', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start({
    script: (file) => ({ rules: [{ when: 'wait', steps: [{ partial: 'on it' }, { waitForFile: file('gate') }] }] }),
  })
  const { iris } = stage
  await ask(iris, 'backend', 'wait', { fromTeam: 'frontend', timeout: -1 })
  await stage.said('on it')
  const stopping = iris.daemon.stop()
  await eventually(() => iris.daemon.parts.vitals.phase === 'stopping', 'it stops')
  expect(await ready(iris)).toMatchObject({ status: 503, body: { reasons: ['Iris is stopping.'] } })
  stage.fake.open('gate')
  await stopping
})

test('the health of the daemon is told in figures', async () => {
  await using stage = await Stage.start({ settings: { healthCheckInterval: 30_000 } })
  const { iris } = stage
  await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  await stage.clock.jump(30_000)
  await iris.event('health-check')
  await using stream = await EventStream.open(iris)
  await stream.next('snapshot')
  const told = await health(iris)
  expect(told).toMatchObject({
    version: expect.any(String),
    phase: 'serving',
    notReady: [],
    memory: { rssBytes: expect.any(Number), heapUsedBytes: expect.any(Number) },
    store: { unrecordedEnds: 0, fileBytes: expect.any(Number), disk: { freeBytes: expect.any(Number) } },
    pool: { activeProcesses: 1 },
    healthChecks: [{ activeProcesses: 1, ended: 0, at: expect.any(Number) }],
    breakers: [],
    streamReaders: 1,
  })
  const { store, isolation } = told as never as {
    store: { commits: { count: number; p99Ms: number; maxMs: number }; fileBytes: number }
    isolation: { team: string }[]
  }
  expect(store.fileBytes).toBeGreaterThan(0)
  expect(store.commits.count).toBeGreaterThan(2)
  expect(store.commits.maxMs).toBeGreaterThanOrEqual(store.commits.p99Ms * 0.99)
  expect(isolation.map(({ team }) => team)).toEqual(['backend', 'frontend', 'mobile'])
  // The event loop is measured four times a second.
  const measured = async (): Promise<boolean> =>
    ((await health(iris))['eventLoopDelay'] as never as { count: number }).count > 0
  await eventually(measured, 'the delay of the event loop is measured')
})

test('what is wrong is said with what to do: a configuration that is not in force, a process that keeps failing', {
  tags: ['thorough'],
}, async () => {
  const crashes = { steps: [{ stderr: 'no space left\n' }, { kill: 'SIGKILL' as const }] }
  await using stage = await Stage.start({
    script: { rules: ['crash', '<iris-continuation>'].map((when) => ({ when, ...crashes })) },
  })
  const { iris } = stage
  appendFileSync(join(iris.world.home, 'config.yaml'), '\nnonsense: true\n')
  await iris.event('config-rejected')
  for (let times = 0; times < 2; times += 1)
    await hurried(stage, ask(iris, 'backend', 'crash', { fromTeam: 'frontend' }))
  await iris.event('breaker-opened')
  const { problems, configProblem } = (await health(iris)) as never as {
    problems: { severity: string; what: string; remedy: string }[]
    configProblem: string
  }
  expect(configProblem).toContain('nonsense')
  expect(problems).toContainEqual({
    severity: 'error',
    what: expect.stringContaining('is not using the last saved config.yaml'),
    remedy: expect.stringContaining('Fix the file'),
  })
  expect(problems).toContainEqual({
    severity: 'error',
    what: expect.stringMatching(/frontend→backend keeps failing/),
    remedy: expect.stringContaining('claude'),
  })
})

test('agents are told neither', async () => {
  await using stage = await Stage.start()
  const agent = { principal: agentOf('backend'), team: 'backend', parent: undefined } as const
  await expect(callAs(agent, stage.iris, 'get_health')).rejects.toMatchObject({ code: 'not_allowed' })
})
