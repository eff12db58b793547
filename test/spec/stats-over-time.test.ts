import { expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'
import { plainHttp } from '../support/plain-http.ts'
import { Stage } from '../support/stage.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

interface Bucket {
  readonly begin: number
  readonly turns: { readonly total: number; readonly completed: number; readonly active: number }
  readonly tokens: Record<string, number>
  readonly answerTimes: { readonly count: number; readonly p50Ms?: number; readonly p95Ms?: number }
  readonly sessions: { readonly begun: number; readonly lastUsed: number; readonly averageLifetimeMs?: number }
}

async function overTime(iris: TestIris, input: object): Promise<Bucket[]> {
  const { buckets } = await asOwner(iris, 'stats_over_time', input)
  return buckets as Bucket[]
}

test('each message counts in the hour of its acceptance, the empty hours are there too', async () => {
  await using stage = await Stage.start()
  const { iris, clock } = stage
  // Well within an hour.
  await clock.jump(hourMs - (clock.now() % hourMs) + 60_000)
  const began = clock.now()
  await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
  await ask(iris, 'mobile', 'two', { fromTeam: 'frontend' })
  await clock.jump(3 * hourMs)
  await ask(iris, 'backend', 'three', { fromTeam: 'frontend' })
  const buckets = await overTime(iris, { since: began, bucket: 'hour' })
  expect(buckets.map(({ turns }) => turns.completed)).toEqual([2, 0, 0, 1])
  expect(buckets.every(({ begin }) => begin % hourMs === 0)).toBe(true)
  expect(buckets.map(({ answerTimes }) => answerTimes.count)).toEqual([2, 0, 0, 1])
  expect(buckets[0]!.answerTimes.p95Ms).toBeGreaterThanOrEqual(buckets[0]!.answerTimes.p50Ms!)
  expect(buckets[1]!.answerTimes).toEqual({ count: 0 })
  expect(buckets.map(({ sessions }) => [sessions.begun, sessions.lastUsed])).toEqual([
    [2, 1],
    [0, 0],
    [0, 0],
    [0, 1],
  ])
  expect(buckets[3]!.sessions.averageLifetimeMs).toBeGreaterThanOrEqual(3 * hourMs)
  expect(
    (await overTime(iris, { since: began, bucket: 'hour', team: 'mobile' })).map(({ turns }) => turns.total),
  ).toEqual([1, 0, 0, 0])
  expect(await overTime(iris, { since: began, until: began, bucket: 'hour' })).toHaveLength(1)
})

test('tokens and cost are those of the messages, with the cache apart', async () => {
  await using iris = await TestIris.start({ claude: 'either', script: () => ({ text: 'yes' }) })
  const { usage } = await ask(iris, 'backend', 'hello')
  const [today] = await overTime(iris, { since: 0 })
  const { contextWindow: _, model: __, ...tokens } = usage!
  expect(today!.tokens).toEqual(tokens)
  expect(tokens.outputTokens).toBeGreaterThan(0)
})

test('days begin at midnight where the asker lives, weeks on a Monday', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
  const [day] = await overTime(iris, { since: 0, bucket: 'day', offsetMinutes: 330 })
  expect((day!.begin + 330 * 60_000) % dayMs).toBe(0)
  const [week] = await overTime(iris, { since: 0, bucket: 'week' })
  expect(new Date(week!.begin).toUTCString()).toMatch(/^Mon, .* 00:00:00 GMT$/)
  expect(week!.turns.completed).toBe(1)
})

test('an Iris without a conversation has nothing to count, and too many buckets are refused with what to ask for', async () => {
  await using stage = await Stage.start()
  const { iris, clock } = stage
  expect(await overTime(iris, { since: 0, bucket: 'hour' })).toMatchObject([{ turns: { total: 0 } }])
  await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
  await clock.jump(1001 * hourMs)
  await expect(overTime(iris, { since: 0, bucket: 'hour' })).rejects.toMatchObject({
    code: 'invalid_input',
    remedy: expect.stringContaining('day'),
  })
  const handy = await asOwner(iris, 'stats_over_time', { since: 0 })
  expect(handy).toMatchObject({ bucket: 'day' })
  expect((handy['buckets'] as Bucket[]).reduce((sum, { turns }) => sum + turns.total, 0)).toBe(1)
})

test('it has its address', async () => {
  await using stage = await Stage.start()
  const { port, token } = stage.iris
  const headers = { authorization: `Bearer ${token}` }
  const answer = await plainHttp(port, 'GET', '/api/stats/over-time?since=0&bucket=week', headers)
  expect(JSON.parse(answer.body)).toMatchObject({ bucket: 'week', buckets: [{ turns: { total: 0 } }] })
})
