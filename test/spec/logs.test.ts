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

  const storeName = 'process:backend'
  const later = await logs({ logs_since: since, storeName, level: 'info', getAllStores: true })
  expect(later.logs).toMatchObject([
    { level: 'info', context: storeName, message: 'Process started', ids: { pair: 'frontend→backend' } },
    { level: 'info', context: storeName, message: 'Process ended: evicted: least recently used' },
  ])
  expect(later).toMatchObject({
    logCount: 2,
    matching: 2,
    query: { since, format: 'parsed', level: ['info', 'warn', 'error'] },
    availableStores: expect.arrayContaining([
      { storeName: 'iris', logCount: expect.any(Number) },
      { storeName, logCount: expect.any(Number) },
    ]),
  })
  expect((await logs({ since, storeName, level: 'info' })).logs).toEqual(later.logs)
  expect((await logs({ storeName, level: ['info'] })).logs).toEqual(later.logs)
  expect((await logs({ level: ['info'] })).logs).toContainEqual(first)
  expect((await logs({ storeName })).logs).toContainEqual(
    expect.objectContaining({ level: 'debug', message: 'Process exited with code 0' }),
  )
  expect((await logs({ level: 'warn' })).logs).toEqual([])
  const [raw] = (await logs({ storeName, level: 'info', format: 'raw' })).logs
  expect(JSON.parse(String(raw))).toEqual({
    level: 'info',
    context: storeName,
    message: 'Process started',
    pair: 'frontend→backend',
    timestamp: new Date(later.logs[0]!.timestamp).toISOString(),
    sessionId: expect.any(String),
    pid: expect.any(Number),
    readyMs: expect.any(Number),
  })
  const newest = await logs({ storeName, level: 'info', limit: 1 })
  expect(newest).toMatchObject({ logCount: 1, matching: 2, logs: [later.logs[1]] })
})

test('a time in the future, and a part, a team and a level that do not exist, are refused with a reason', async () => {
  await using stage = await Stage.start()
  const { iris, clock } = stage
  const future = await refusal(iris, 'get_logs', { logs_since: clock.now() + 60_000 })
  expect(future).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('in the future') })
  expect(await refusal(iris, 'get_logs', { storeName: 'cellar' })).toMatchObject({
    code: 'invalid_input',
    remedy: expect.stringMatching(/^Leave storeName out, or name one of: .*iris/),
  })
  expect(await refusal(iris, 'get_logs', { team: 'backed' })).toMatchObject({ code: 'unknown_team' })
  const level = await refusal(iris, 'get_logs', { level: 'loud' })
  expect(level).toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(/^get_logs: level is "loud", and must be .*warn.* or /),
  })
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
  const { logs } = await callTool(stage.iris, 'get_logs', { storeName: 'process:backend', level: 'warn' })
  expect(JSON.stringify(logs)).toContain('ANTHROPIC_API_KEY=[redacted] is refused')
})
