import { expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { Stage } from '../support/stage.ts'

interface Entry {
  readonly timestamp: number
  readonly level: string
  readonly context: string
  readonly message: string
}

test('get_logs returns what Iris said, by part, level and time, the newest last', async () => {
  await using stage = await Stage.start({ settings: { maxProcesses: 1 } })
  const { iris, clock } = stage
  const logs = async (more: object = {}) => {
    const answer = await callTool(iris, 'get_logs', more)
    return { ...answer, logs: answer['logs'] as Entry[] }
  }
  const [first] = (await logs()).logs
  expect(first).toMatchObject({ level: 'info', context: 'iris', message: expect.stringContaining('listens on') })
  await clock.jump(1000)
  const since = clock.now()
  await clock.jump(1000)
  await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  await ask(iris, 'mobile', 'hello', { fromTeam: 'frontend' })

  const later = await logs({ logs_since: since, storeName: 'pool', getAllStores: true })
  expect(later.logs).toMatchObject([{ level: 'warn', context: 'pool', ids: { pair: 'frontend→backend' } }])
  expect(later).toMatchObject({
    logCount: 1,
    matching: 1,
    query: { since, format: 'parsed' },
    availableStores: expect.arrayContaining([
      { storeName: 'iris', logCount: expect.any(Number) },
      { storeName: 'pool', logCount: 1 },
    ]),
  })
  expect((await logs({ since, storeName: 'pool' })).logs).toEqual(later.logs)
  expect((await logs({ storeName: 'pool' })).logs).toEqual(later.logs)
  expect((await logs({ level: 'warn' })).logs).toEqual(later.logs)
  expect((await logs({ level: ['warn', 'error'] })).logs).toEqual(later.logs)
  expect((await logs({ level: ['info'] })).logs).toContainEqual(first)
  expect((await logs({ level: 'error' })).logs).toEqual([])
  const [raw] = (await logs({ storeName: 'pool', format: 'raw' })).logs
  expect(JSON.parse(String(raw))).toEqual({
    level: 'warn',
    timestamp: new Date(later.logs[0]!.timestamp).toISOString(),
    context: 'pool',
    pair: 'frontend→backend',
    message: later.logs[0]!.message,
  })

  await ask(iris, 'backend', 'again', { fromTeam: 'frontend' })
  const newest = await logs({ storeName: 'pool', limit: 1 })
  expect(newest).toMatchObject({ logCount: 1, matching: 2, logs: [{ ids: { pair: 'frontend→mobile' } }] })
})

test('a time in the future, a part that does not exist and a level that does not are refused with a reason', async () => {
  await using stage = await Stage.start()
  const { iris, clock } = stage
  const future = await refusal(iris, 'get_logs', { logs_since: clock.now() + 60_000 })
  expect(future).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('in the future') })
  expect(await refusal(iris, 'get_logs', { storeName: 'cellar' })).toMatchObject({
    code: 'invalid_input',
    remedy: expect.stringMatching(/^Leave storeName out, or name one of: .*iris/),
  })
  expect(await refusal(iris, 'get_logs', { level: 'loud' })).toMatchObject({ code: 'invalid_input' })
})

test('what a process says of a secret is not in the log', async () => {
  await using stage = await Stage.start({
    script: (file) => ({
      rules: [
        {
          when: 'die',
          onceFile: file('died'),
          steps: [{ stderr: 'ANTHROPIC_API_KEY=hunter2 is refused\n' }, { exit: 1 }],
        },
      ],
    }),
  })
  await ask(stage.iris, 'backend', 'die', { fromTeam: 'frontend' })
  const { logs } = await callTool(stage.iris, 'get_logs', { storeName: 'orchestrator', level: 'warn' })
  expect(JSON.stringify(logs)).toContain('ANTHROPIC_API_KEY=[redacted] is refused')
})
