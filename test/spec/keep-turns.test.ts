import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { runCommand } from '../support/run-command.ts'

const dayMs = 86_400_000
const fromTeam = 'frontend'
/** Months pass in a jump: nothing that ticks all the time should. */
const quiet = { healthCheckInterval: 2_000_000_000 }

/** The files below the directory that contain the text. */
function filesWith(text: string, directory: string): string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return paths.filter((path) => readFileSync(path).includes(text))
}

/** The number of hits. */
const found = async (iris: TestIris, query: string) => {
  const answer = await fetch(`http://127.0.0.1:${iris.port}/api/search?query=${query}`, {
    headers: { authorization: `Bearer ${iris.token}` },
  })
  return ((await answer.json()) as { hits: unknown[] }).hits.length
}

test('messages older than keepTurns go from store and index, with a start of a store from before; later ones stay', async () => {
  const clock = new JumpingClock()
  await using iris = await TestIris.start({ claude: 'fake', settings: quiet, clock })
  const old = await ask(iris, 'backend', 'oldest zebra', { fromTeam })
  await ask(iris, 'backend', 'later zebra', { fromTeam })
  expect(await found(iris, 'zebra')).toBeGreaterThanOrEqual(2)
  await iris.daemon.stop(0)
  const store = new DatabaseSync(join(iris.world.home, 'data/team-sessions.db'))
  store.exec('PRAGMA auto_vacuum = NONE; VACUUM')
  store.close()
  iris.world.writeConfig({ settings: { ...quiet, keepTurns: 30 } })
  await iris.restart()
  const stays = await ask(iris, 'mobile', 'a new giraffe', { fromTeam })
  expect(await callTool(iris, 'message_status', { turnId: old.turnId })).toMatchObject({ status: 'completed' })
  await clock.jump(31 * dayMs)
  expect(await iris.event('turns-pruned')).toMatchObject({ turns: 2 })
  expect(await refusal(iris, 'message_status', { turnId: old.turnId })).toMatchObject({ code: 'unknown_turn' })
  expect(await callTool(iris, 'message_status', { turnId: stays.turnId })).toMatchObject({ status: 'completed' })
  expect(await found(iris, 'zebra')).toBe(0)
  expect(await found(iris, 'giraffe')).toBeGreaterThan(0)
  // In the transcripts of a conversation that continues too.
  const streams = join(iris.world.home, 'output_streams')
  expect(filesWith('oldest zebra', streams)).toEqual([])
  expect(
    filesWith('a new giraffe', streams)
      .map((path) => basename(path))
      .toSorted(),
  ).toEqual(['conversation.json', 'stream.log'])
  expect(iris.rows('PRAGMA auto_vacuum')).toEqual([{ auto_vacuum: 2 }])
  // The conversation continues.
  const next = await ask(iris, 'backend', 'again', { fromTeam })
  expect(next).toMatchObject({ status: 'completed', sessionId: old.sessionId })
})

test('of a conversation that is deleted with its transcripts, no file of Iris has a text', async () => {
  await using iris = await TestIris.start({ claude: 'fake' })
  const secret = 'walnutsandhoney'
  const { turnId } = await ask(iris, 'backend', `remember ${secret} `.repeat(300), { fromTeam })
  await ask(iris, 'mobile', 'persimmon', { fromTeam })
  expect(await found(iris, secret)).toBeGreaterThan(0)
  expect(filesWith(secret, iris.world.home)).not.toEqual([])
  await callTool(iris, 'session_delete', { team: 'backend', fromTeam, deleteTranscripts: true })
  expect(await found(iris, 'persimmon')).toBeGreaterThan(0)
  expect(await found(iris, secret)).toBe(0)
  expect(filesWith(secret, iris.world.home)).toEqual([])
  expect(filesWith('persimmon', iris.world.home)).not.toEqual([])
  // Until then the daemon has the last answers in memory.
  await iris.restart()
  const left = await callTool(iris, 'message_status', { turnId })
  expect(left).toMatchObject({ status: 'completed' })
  expect(JSON.stringify(left)).not.toContain(secret)
  const { stdout } = await runCommand(iris.world, ['status'], {})
  expect(stdout).toMatch(/The store takes .*, its write-ahead log .*, the search index/)
})
