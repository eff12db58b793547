import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Insight } from '../../src/features/insight/insight.ts'
import { ask, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { asOwner } from '../support/owner.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { Stage } from '../support/stage.ts'

let stage: Stage
const all = { since: 0, until: Number.MAX_SAFE_INTEGER, team: undefined }

beforeAll(async () => {
  stage = await Stage.start()
  const wordings = [
    'Where is the orders endpoint defined?',
    'Which file defines the orders endpoint?',
    'Please tell me where the orders endpoint is defined.',
  ]
  for (const message of wordings) await ask(stage.iris, 'backend', message, { fromTeam: 'frontend' })
  await ask(stage.iris, 'backend', 'How large is the invoice table?', { fromTeam: 'mobile' })
  // The period ends at this moment.
  await stage.clock.jump(1)
})
afterAll(() => stage[Symbol.asyncDispose]())

test('a question that was asked in three wordings is reported once, with its turns', async () => {
  const found = await asOwner(stage.iris, 'find_patterns', {})
  expect(found).toMatchObject({
    read: { asks: 4, tools: 0, questions: 0 },
    repeated: [{ to: 'backend', askers: ['frontend'], times: 3, message: 'Where is the orders endpoint defined?' }],
    chains: [],
    failing: [],
    peaks: [],
    slowTools: [],
    alwaysAllowed: [],
  })
  const [{ turns }] = found['repeated'] as [{ turns: string[] }]
  const ids = stage.iris.rows("SELECT id FROM turns WHERE message LIKE '%orders%' ORDER BY sequence DESC")
  expect(turns).toEqual(ids.map(({ id }) => id))
})

test('of one team, and of a period', async () => {
  const reads = async (input: object) => (await asOwner(stage.iris, 'find_patterns', input))['read']
  expect(await reads({ team: 'mobile' })).toMatchObject({ asks: 1 })
  expect(await reads({ until: 0, since: 0 })).toMatchObject({ asks: 0 })
  await expect(reads({ team: 'nobody' })).rejects.toMatchObject({ code: 'unknown_team' })
})

test('switched off, nothing is read, and each surface says so', async () => {
  const { world } = stage.iris
  world.writeConfig({ insight: { patterns: false, drift: false, reflection: false, healing: false } })
  await stage.iris.event('config-reloaded')
  const nothing = { isOn: false, read: { asks: 0 } }
  expect(await asOwner(stage.iris, 'find_patterns', {})).toMatchObject({ ...nothing, repeated: [] })
  expect(await asOwner(stage.iris, 'reflect', {})).toMatchObject({ ...nothing, askedTwice: [], costly: [] })
  expect(await asOwner(stage.iris, 'list_healings', {})).toMatchObject({ isOn: false })
  const watched = { toTeam: 'backend', message: 'x', onChange: 'atOnce' }
  expect(await refusal(stage.iris, 'send_message', watched)).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('insight.drift is false in config.yaml'),
  })
  world.writeConfig()
  await eventually(async () => (await asOwner(stage.iris, 'find_patterns', {}))['isOn'] === true, 'it is on again')
  expect(await asOwner(stage.iris, 'reflect', {})).toMatchObject({ isOn: true, read: { asks: 4 } })
})

describe('messages do not depend on it', () => {
  const store = () => join(stage.iris.world.home, 'data/team-sessions.db')

  test('calls at once are answered one after the other, and a message meanwhile is answered too', async () => {
    const calls = Array.from({ length: 20 }, () => asOwner(stage.iris, 'find_patterns', {}))
    const { status } = await ask(stage.iris, 'backend', 'Meanwhile, a list of the open tasks', { fromTeam: 'mobile' })
    expect(status).toBe('completed')
    for (const found of await Promise.all(calls)) expect(found).toMatchObject({ repeated: [{ times: 3 }] })
  })

  test('a store that is no store fails the call, and the next call is answered', async () => {
    using scratch = scratchDirectory()
    const wrong = join(scratch.path, 'wrong.db')
    writeFileSync(wrong, 'this is not a database, whatever its name says. '.repeat(100))
    const insight = new Insight(wrong, new FakeClock())
    await expect(insight.patterns(all, 0)).rejects.toMatchObject({ code: 'insight_failed' })
    await expect(insight.patterns(all, 0)).rejects.toMatchObject({ code: 'insight_failed' })
    await insight.close()
  })

  test('an analysis that takes too long, or is stopped in the middle, ends with the reason', async () => {
    const clock = new FakeClock()
    const insight = new Insight(store(), clock)
    const tooLong = { message: expect.stringContaining('longer than 60 s') }
    await Promise.all([expect(insight.patterns(all, 0)).rejects.toMatchObject(tooLong), clock.advance(60_000)])
    const stopped = insight.patterns(all, 0)
    await insight.close()
    await expect(stopped).rejects.toMatchObject({ code: 'insight_failed' })
    expect(clock.pending).toBe(0)
  })

  test('its thread is killed in the middle of its work: messages are answered before and after, and the next call too', async () => {
    // Enough messages that an analysis takes seconds.
    stage.iris.change(`WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 60000)
      INSERT INTO turns (id, session, message, state, outcome, answer, hop, awaited, accepted_at, dispatched_at, started_at, settled_at)
      SELECT 'old-' || n, (SELECT id FROM team_sessions LIMIT 1),
        'Which of the ' || (n % 9973) || ' services calls the handler ' || (n % 7919) || ' of queue ' || (n % 6007) || '?',
        'settled', 'completed', 'See src/a.ts.', 1, 0, 1000 + n, 1000 + n, 1000 + n, 1001 + n FROM counted`)
    const threads: Worker[] = []
    const seen = (thread: Worker): unknown => threads.push(thread)
    process.on('worker', seen)
    const failing = refusal({ port: stage.iris.port, token: stage.iris.world.owner() }, 'find_patterns', { since: 0 })
    // The search may begin to index the messages at the same time.
    const thread = await eventually(() => threads.find(({ threadName }) => threadName === 'insight'), 'its thread')
    process.off('worker', seen)
    const { status } = await ask(stage.iris, 'backend', 'Meanwhile, what is new?', { fromTeam: 'mobile' })
    expect(status).toBe('completed')
    await thread.terminate()
    // Had it been done already, it would have answered.
    expect(await failing).toMatchObject({ code: 'insight_failed', message: expect.stringContaining('was ended') })
    expect(await ask(stage.iris, 'backend', 'And after that?', { fromTeam: 'mobile' })).toMatchObject({ status })
    stage.iris.change(`DELETE FROM turns WHERE id LIKE 'old-%'`)
    expect(await asOwner(stage.iris, 'find_patterns', {})).toMatchObject({ repeated: [{ times: 3 }] })
  })
})
