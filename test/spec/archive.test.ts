import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { transcriptPath } from '../support/transcript-path.ts'
import { spoken } from '../support/world.ts'

const dayMs = 86_400_000
const fromTeam = 'frontend'
const remembers: Script = ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') })
/** Months pass in a jump: nothing that ticks all the time should. */
const settings = { healthCheckInterval: 2_000_000_000 }

async function asleep(iris: TestIris, team: string): Promise<void> {
  await callTool(iris, 'team_sleep', { team, fromTeam })
}

function statuses(iris: TestIris) {
  return iris.rows('SELECT to_team, status, archived_why FROM team_sessions ORDER BY id')
}

describe('a conversation that nobody used for 90 days', () => {
  test('is archived, and its next message brings it back with all that was said', async () => {
    const clock = new JumpingClock()
    await using iris = await TestIris.start({ claude: 'either', script: remembers, settings, clock })
    const first = await ask(iris, 'backend', 'one', { fromTeam })
    await ask(iris, 'mobile', 'hello', { fromTeam })
    await asleep(iris, 'backend')
    await asleep(iris, 'mobile')
    await clock.jump(80 * dayMs)
    await ask(iris, 'mobile', 'still here', { fromTeam })
    await asleep(iris, 'mobile')
    expect(statuses(iris)).toMatchObject([{ status: 'active' }, { status: 'active' }])
    await clock.jump(11 * dayMs)
    const { sessionId } = await iris.event('session-archived', ({ to }) => to === 'backend')
    expect(sessionId).toBe(first.sessionId)
    expect(statuses(iris)).toEqual([
      { to_team: 'backend', status: 'archived', archived_why: 'unused for 90 days' },
      { to_team: 'mobile', status: 'active', archived_why: null },
    ])

    const second = await ask(iris, 'backend', 'two', { fromTeam })
    expect(second).toMatchObject({ status: 'completed', response: 'one | two', sessionId })
    expect(second).not.toHaveProperty('contextReset')
    expect((await iris.event('session-restored')).sessionId).toBe(sessionId)
    expect(statuses(iris)).toMatchObject([{ status: 'active', archived_why: null }, { status: 'active' }])
  })

  test('is found by the first look after a start too, however many there are, and comes back after another start', async () => {
    const clock = new JumpingClock()
    await using iris = await TestIris.start({ claude: 'either', script: remembers, settings, clock })
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    await iris.daemon.stop(0)
    manyMore(iris, 250, clock.now())
    await clock.jump(91 * dayMs)
    await iris.restart()
    const live = () => iris.rows(`SELECT COUNT(*) AS n FROM team_sessions WHERE status <> 'archived'`)[0]!['n']
    await eventually(() => live() === 0, 'all are archived')
    await iris.restart()
    const second = await ask(iris, 'backend', 'two', { fromTeam })
    expect(second).toMatchObject({ status: 'completed', response: 'one | two', sessionId })
    expect(live()).toBe(1)
  })

  test('stays as long as it has a process', async () => {
    const clock = new JumpingClock()
    await using iris = await TestIris.start({
      claude: 'either',
      settings: { ...settings, idleTimeout: 2_000_000_000, archiveAfterDays: 1 },
      clock,
    })
    await ask(iris, 'backend', 'one', { fromTeam })
    await ask(iris, 'mobile', 'one', { fromTeam })
    await asleep(iris, 'mobile')
    await clock.jump(3 * dayMs)
    await iris.event('session-archived', ({ to }) => to === 'mobile')
    expect(statuses(iris)).toMatchObject([{ to_team: 'backend', status: 'active' }, { to_team: 'mobile' }])
  })

  test('leaves no files where that is wished, and then the next message says that it starts over', async () => {
    const clock = new JumpingClock()
    await using iris = await TestIris.start({
      claude: 'either',
      script: remembers,
      // Each day takes its time.
      settings: { ...settings, deleteArchivedFiles: true, archiveAfterDays: 9 },
      clock,
    })
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    await asleep(iris, 'backend')
    const people = join(iris.world.home, 'output_streams', sessionId)
    await eventually(() => existsSync(people), 'people can read it')
    await clock.jump(11 * dayMs)
    await iris.event('session-archived')
    expect(await transcriptPath(iris.world.claudeDirectory, sessionId)).toBeUndefined()
    expect(existsSync(people)).toBe(false)
    const second = await ask(iris, 'backend', 'two', { fromTeam })
    expect(second).toMatchObject({
      response: 'two',
      contextReset: expect.stringContaining('no longer has a transcript'),
    })
    expect(second.sessionId).not.toBe(sessionId)
  })
})

test('a conversation that was replaced does not come back', async () => {
  const clock = new JumpingClock()
  const full: Script = async (request) => ({ ...(await remembers(request)), inputTokens: 850_000 })
  await using iris = await TestIris.start({
    script: full,
    settings: { ...settings, onContextFull: 'reset', archiveAfterDays: 9 },
    clock,
  })
  const first = await ask(iris, 'backend', 'one', { fromTeam })
  const second = await ask(iris, 'backend', 'two', { fromTeam })
  await asleep(iris, 'backend')
  await clock.jump(11 * dayMs)
  await iris.event('session-archived', ({ sessionId }) => sessionId === second.sessionId)
  const third = await ask(iris, 'backend', 'three', { fromTeam })
  expect(third.response).toBe('three')
  expect(third.sessionId).not.toBe(first.sessionId)
})

/** Conversations of other pairs, last used at `at`. */
function manyMore(iris: TestIris, count: number, at: number): void {
  using database = new DatabaseSync(join(iris.world.home, 'data/team-sessions.db'))
  const insert = database.prepare(
    'INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  for (let index = 0; index < count; index++) {
    insert.run('mobile', 'backend', `t${index}`, crypto.randomUUID(), at, at)
  }
}
