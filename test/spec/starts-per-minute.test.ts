import { expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const minute = 60_000
const later = 30_000
const settings = { startsPerMinute: 2, queueTimeout: 100_000 }

function say(stage: Stage, thread: string): Promise<unknown> {
  return ask(stage.iris, 'backend', thread, { fromTeam, thread })
}

test('one start too many waits for the minute to pass, in the order of asking; warm processes go on', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start({ settings })
  const { clock } = stage
  await say(stage, 'first')
  await clock.jump(later)
  await say(stage, 'second')
  const begun: string[] = []
  stage.iris.events$.subscribe((event) => {
    if (event.type === 'process-spawned') begun.push(event.thread)
  })
  const third = say(stage, 'third')
  await stage.iris.event('turn-accepted', ({ thread }) => thread === 'third')
  const fourth = say(stage, 'fourth')
  expect(await say(stage, 'first')).toMatchObject({ status: 'completed' })
  expect(stage.starts()).toHaveLength(2)
  await eventually(
    () => stage.iris.rows(`SELECT 1 FROM turns WHERE state = 'accepted'`).length === 2,
    'both are accepted and wait',
  )
  await clock.jump(minute - later)
  expect(await third).toMatchObject({ status: 'completed' })
  expect(begun).toEqual(['first', 'second', 'third'])
  await clock.jump(later)
  expect(await fourth).toMatchObject({ status: 'completed' })
})

test('a wait longer than queueTimeout is refused, with when to try again', async () => {
  await using stage = await Stage.start({ settings: { ...settings, queueTimeout: 5000 } })
  for (const thread of ['first', 'second']) await say(stage, thread)
  const third = (await say(stage, 'third')) as { detail: string }
  expect(third).toMatchObject({ status: 'failed', reason: 'queue_timeout', delivered: false })
  expect(third.detail).toMatch(
    /^2 Claude Code processes were started within the last minute. Ask again in \d+ s, or raise settings.startsPerMinute.$/,
  )
  const refused = await refusal(stage.iris, 'team_wake', { team: 'mobile', fromTeam })
  expect(refused).toMatchObject({ code: 'too_many_starts' })
  expect(refused.retryAfterMs).toBeGreaterThan(50_000)
  expect(refused.retryAfterMs).toBeLessThanOrEqual(minute)
  const all = (await callTool(stage.iris, 'team_wake_all', {})) as { teams: { error?: { code: string } }[] }
  expect(all.teams.map(({ error }) => error?.code)).toContain('too_many_starts')
  expect(stage.starts()).toHaveLength(2)
  await stage.clock.jump(minute)
  expect(await say(stage, 'third')).toMatchObject({ status: 'completed' })
})

test('a start before anybody asks leaves them to those who ask', async () => {
  await using stage = await Stage.start({ settings })
  for (const thread of ['first', 'second']) await say(stage, thread)
  const { pool, sessionRegistry: sessions } = stage.iris.daemon.parts
  const session = sessions.open({ from: fromTeam, to: 'mobile', thread: 'main' })
  expect(await pool.warmUp(session)).toBe(false)
  await stage.clock.jump(minute)
  expect(await pool.warmUp(session)).toBe(true)
})
