import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const teams = ['frontend', 'alpha', 'beta', 'gamma', 'delta']

type Woken = { team: string; status: string; alreadyAwake: boolean; error?: { code: string } }
const byTeam = (answer: Record<string, unknown>) =>
  (answer['teams'] as Woken[]).map(
    ({ team, status, alreadyAwake }) => `${team} ${status}${alreadyAwake ? ' already' : ''}`,
  )

test('team_launch wakes a team as team_wake does', async () => {
  await using stage = await Stage.start()
  const pair = { team: 'backend', fromTeam, thread: 'review' }
  expect(await callTool(stage.iris, 'team_launch', pair)).toMatchObject({ status: 'awake', alreadyAwake: false })
  expect(await callTool(stage.iris, 'team_wake', pair)).toMatchObject({ thread: 'review', alreadyAwake: true })
})

test('all teams but the caller’s own are woken one after the other, and each is told as it comes', async () => {
  await using stage = await Stage.start({ teams })
  const { iris } = stage
  await ask(iris, 'beta', 'hello', { fromTeam })
  const heard: string[] = []
  const woken = await callTool(iris, 'team_wake_all', { fromTeam }, { onProgress: (message) => heard.push(message) })
  expect(byTeam(woken)).toEqual(['alpha awake', 'beta awake already', 'delta awake', 'gamma awake'])
  expect(woken).toMatchObject({
    from: fromTeam,
    summary: { total: 4, alreadyAwake: 1, woken: 3, failed: 0, leftAsleep: 0 },
  })
  expect(heard).toEqual(['alpha', 'beta', 'delta', 'gamma'].map((team, index) => `${team}: awake (${index + 1} of 4)`))
  const order: string[] = []
  iris.events$.subscribe((event) => event.type === 'process-spawned' && order.push(event.teamName)).unsubscribe()
  expect(order).toEqual(['beta', 'alpha', 'delta', 'gamma'])
  expect(await ask(iris, 'gamma', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
  expect(stage.starts()).toHaveLength(4)
})

test('in parallel, no more than so many start at once', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start({ teams, script: { startDelayMs: 200 } })
  const { pool } = stage.iris.daemon.parts
  let most = 0
  const look = setInterval(() => {
    const starting = pool.holders().filter((session) => pool.state(session) === 'spawning').length
    most = Math.max(most, starting)
  }, 5)
  const woken = await callTool(stage.iris, 'team_wake_all', { fromTeam, parallel: true, maxParallel: 2 })
  clearInterval(look)
  expect(woken).toMatchObject({ summary: { total: 4, woken: 4 } })
  expect(most).toBe(2)
})

test('what finds no place in the pool is left asleep and named; nobody is ended for it', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start({ teams, settings: { maxProcesses: 3 } })
  const { iris } = stage
  await ask(iris, 'gamma', 'hello', { fromTeam: 'alpha' })
  for (const parallel of [false, true]) {
    const woken = await callTool(iris, 'team_wake_all', { fromTeam, parallel })
    expect(byTeam(woken).map((line) => line.replace(' already', ''))).toEqual([
      'alpha awake',
      'beta awake',
      'delta asleep',
      'gamma asleep',
    ])
    expect(woken).toMatchObject({ summary: { leftAsleep: 2 }, message: expect.stringContaining('maxProcesses') })
  }
  expect(iris.daemon.parts.pool.holders().map(({ to }) => to)).toEqual(['gamma', 'alpha', 'beta'])
  expect(iris.rows('SELECT * FROM team_sessions')).toHaveLength(3)
})

test('one that does not start is named with its reason, and the others are woken', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start({ teams })
  rmSync(stage.iris.world.directory('beta'), { recursive: true })
  const woken = await callTool(stage.iris, 'team_wake_all', { fromTeam })
  expect(byTeam(woken)).toEqual(['alpha awake', 'beta failed', 'delta awake', 'gamma awake'])
  expect((woken['teams'] as Woken[])[1]!.error).toMatchObject({ code: 'team_directory_missing' })
  expect(woken).toMatchObject({ summary: { woken: 3, failed: 1 } })
  await eventually(() => stage.iris.daemon.parts.pool.size === 3, 'the three stay')
})
