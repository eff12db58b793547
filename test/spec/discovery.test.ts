import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { asPerson } from '../support/person.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { transcriptPath } from '../support/transcript-path.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const remembers: Script = ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') })

function loseStore(iris: TestIris): void {
  for (const end of ['', '-wal', '-shm']) rmSync(join(iris.world.home, `data/team-sessions.db${end}`), { force: true })
  forgetStore(iris)
}

/** As in a home that was copied without it: Iris does not know that there was a store, and adopts what is on disk. */
function forgetStore(iris: TestIris): void {
  rmSync(join(iris.world.home, 'store.json'))
}

async function restartWithoutStore(iris: TestIris) {
  await iris.daemon.stop(0)
  loseStore(iris)
  await iris.restart()
  return iris.event('sessions-discovered')
}

function sessions(iris: TestIris): Record<string, unknown>[] {
  return iris.rows(
    `SELECT from_team AS "from", to_team AS "to", thread, session_id AS sessionId, origin, status, archived_why AS why
     FROM team_sessions ORDER BY id`,
  )
}

/** Every transcript of Claude Code, as it lies there. */
function transcripts(iris: TestIris): Record<string, unknown> {
  const projects = join(iris.world.claudeDirectory, 'projects')
  const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
  const facts = (file: string) => [statSync(file).mtimeMs, statSync(file).nlink, readFileSync(file, 'utf8')]
  return Object.fromEntries(files.map((name) => [name, facts(join(projects, name))]))
}

test.each(claudeVersions)(
  'conversations of Claude Code %s are found again after the store was lost, and go on; a person’s own are left alone',
  async (version) => {
    await using iris = await TestIris.start({ script: remembers, settings: { claudePath: claudeBinary(version) } })
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam, thread: 'design' })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam, thread: 'design' })
    const person = { team: 'backend', args: ['--session-id', crypto.randomUUID()] }
    await asPerson(iris.world, version, person, (cli) => cli.turn('mine'))
    // It holds everything the other one does, the envelopes and the title too.
    const fork = {
      team: 'backend',
      args: ['--resume', sessionId, '--fork-session', '--session-id', crypto.randomUUID()],
    }
    await asPerson(iris.world, version, fork, (cli) => cli.turn('mine too'))
    const before = transcripts(iris)
    expect(Object.keys(before)).toHaveLength(3)

    expect(await restartWithoutStore(iris)).toMatchObject({ found: 1, adopted: 1, missing: 0 })
    const adopted = { from: fromTeam, to: 'backend', thread: 'design', sessionId }
    expect(sessions(iris)).toEqual([{ ...adopted, origin: 'adopted', status: 'active', why: null }])
    expect(transcripts(iris)).toEqual(before)
    const second = await ask(iris, 'backend', 'two', { fromTeam, thread: 'design' })
    expect(second).toMatchObject({ response: 'one | two', sessionId })
    expect(second).not.toHaveProperty('contextReset')
  },
)

/** As if the conversation had been led under other names. */
function retell(iris: TestIris, sessionId: string, from: string, to: string): void {
  const file = join(iris.world.home, 'output_streams', sessionId, 'conversation.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
}

test('of several conversations of a pair the last used one lives, the others are kept, archived', async () => {
  await using iris = await TestIris.start({ claude: 'fake', script: remembers })
  const ids: string[] = []
  for (const thread of ['a', 'b', 'c']) ids.push((await ask(iris, 'backend', thread, { fromTeam, thread })).sessionId)
  await iris.daemon.stop(0)
  for (const [index, thread] of ['a', 'b', 'c'].entries()) {
    retell(iris, ids[index]!, `"thread": "${thread}"`, '"thread": "main"')
  }
  expect(await restartWithoutStore(iris)).toMatchObject({ found: 3, adopted: 3 })
  const statuses = Object.fromEntries(sessions(iris).map(({ sessionId, status }) => [sessionId, status]))
  expect(statuses).toEqual({ [ids[0]!]: 'archived', [ids[1]!]: 'archived', [ids[2]!]: 'active' })
  expect(await ask(iris, 'backend', 'd', { fromTeam })).toMatchObject({ response: 'c | d' })
})

test('a conversation that the store has forgotten does not take the place of the live one', async () => {
  await using iris = await TestIris.start({ claude: 'fake', script: remembers })
  const live = await ask(iris, 'backend', 'one', { fromTeam })
  const lost = await ask(iris, 'backend', 'two', { fromTeam, thread: 'lost' })
  await iris.daemon.stop(0)
  const database = new DatabaseSync(join(iris.world.home, 'data/team-sessions.db'))
  database.exec(`DELETE FROM turns WHERE id = '${lost.turnId}'; DELETE FROM team_sessions WHERE thread = 'lost'`)
  database.close()
  forgetStore(iris)
  retell(iris, lost.sessionId, '"thread": "lost"', '"thread": "main"')
  await iris.restart()
  expect(await iris.event('sessions-discovered')).toMatchObject({ found: 2, adopted: 1 })
  expect(sessions(iris)).toMatchObject([
    { sessionId: live.sessionId, status: 'active', origin: 'new' },
    { sessionId: lost.sessionId, status: 'archived', origin: 'adopted', why: expect.stringContaining('live') },
  ])
  expect(await ask(iris, 'backend', 'three', { fromTeam })).toMatchObject({ response: 'one | three' })
})

test('a conversation of another project than the team’s is kept, archived, and says so', async () => {
  await using iris = await TestIris.start({ claude: 'fake', script: remembers })
  const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
  await iris.daemon.stop(0)
  retell(iris, sessionId, '"to": "backend"', '"to": "mobile"')
  expect(await restartWithoutStore(iris)).toMatchObject({ adopted: 1 })
  const why = expect.stringContaining(`it belongs to ${iris.world.directory('backend')}`)
  expect(sessions(iris)).toMatchObject([{ sessionId, to: 'mobile', status: 'archived', why }])
})

test('a directory of output_streams that is not Iris’s word for the transcript adopts nothing', async () => {
  await using iris = await TestIris.start({ claude: 'fake', script: remembers })
  const own = crypto.randomUUID()
  const person = { team: 'backend', args: ['--session-id', own] }
  await asPerson(iris.world, '2.1.330', person, (cli) => cli.turn('mine'))
  const { sessionId } = await ask(iris, 'mobile', 'one', { fromTeam })
  await iris.daemon.stop(0)
  const streams = join(iris.world.home, 'output_streams')
  cpSync(join(streams, sessionId), join(streams, own), { recursive: true })
  await iris.restart()
  expect(await iris.event('sessions-discovered')).toMatchObject({ found: 1, adopted: 0 })
})

test('a transcript that comes back is not missing any more', async () => {
  await using iris = await TestIris.start({ claude: 'fake', script: remembers })
  const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
  await iris.daemon.stop(0)
  const transcript = (await transcriptPath(iris.world.claudeDirectory, sessionId))!
  const backup = join(iris.world.root, 'backup.jsonl')
  cpSync(transcript, backup)
  rmSync(transcript)
  rmSync(join(iris.world.home, 'data/transcripts'), { recursive: true })
  await iris.restart()
  expect(await iris.event('sessions-discovered')).toMatchObject({ missing: 1 })
  cpSync(backup, transcript)
  await iris.restart()
  expect(await iris.event('sessions-discovered')).toMatchObject({ found: 1, missing: 0 })
  expect(iris.rows('SELECT transcript_missing_since AS since FROM team_sessions')).toEqual([{ since: null }])
  expect(await ask(iris, 'backend', 'two', { fromTeam })).toMatchObject({ response: 'one | two' })
})

test('a daemon that is stopped before it has begun what goes on daily leaves nothing that would go on', async () => {
  const clock = new JumpingClock()
  await using iris = await TestIris.start({ claude: 'fake', clock })
  await iris.daemon.stop(0)
  expect(clock.pending(86_400_000)).toBe(0)
})
