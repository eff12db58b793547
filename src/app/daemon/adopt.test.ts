import { cpSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { deadFrom } from '../../../test/support/dead-from.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { homePaths } from '../../platform/config/home.ts'
import { thisHome, writeHomeRecord } from '../../platform/config/home-record.ts'
import { openDatabase } from '../../platform/store/database.ts'
import { writeRemembered } from '../../platform/store/remembered-store.ts'
import { setIdentity, storeFactsOf } from '../../platform/store/store-identity.ts'
import { adopt, leftIn } from './adopt.ts'

const rows = `
  INSERT INTO team_sessions (id, from_team, to_team, session_id, created_at, last_used_at, status, dormant) VALUES
    (1, 'external', 'backend', 'one', 1, 1, 'active', 0), (2, 'external', 'mobile', 'two', 1, 1, 'active', 0),
    (3, 'external', 'frontend', 'three', 1, 1, 'archived', 1);
  INSERT INTO turns (id, session, message, hop, awaited, state, accepted_at, dispatched_at) VALUES
    ('runs', 1, 'think', 1, 0, 'dispatched', 2, 3), ('waits', 1, 'later', 1, 0, 'accepted', 4, NULL);
  INSERT INTO schedules (id, ask, plan, next_at, created_at) VALUES ('daily', '{"message":"What is new?"}', '{}', 5, 1);
  INSERT INTO channel_posts (source, chat, turn, place, piece, text, created_at) VALUES ('bot', 'chat', 'runs', 1, 0, NULL, 1);
  INSERT INTO notices (from_team, to_team, thread, text, left_at, expires_at)
    VALUES ('external', 'backend', 'main', 'x', 1, 8640000000000000);
  INSERT INTO cluster_asks (turn, host, chain) VALUES ('runs', 'studio', '[]');
`

/** A home whose daemon ran, and a copy of it. */
function copied({ config = '' } = {}) {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const [home, copy] = [join(scratch.path, 'iris'), join(scratch.path, 'copy')]
  mkdirSync(join(home, 'data'), { recursive: true })
  const paths = homePaths(home)
  const store = openDatabase(config === '' ? paths.database : join(scratch.path, 'elsewhere.db'))
  setIdentity(store, 7)
  store.exec(rows)
  writeRemembered(paths.storeMemory, storeFactsOf(store))
  store.close()
  writeFileSync(paths.config, config.replace('ROOT', scratch.path), { mode: 0o600 })
  for (const path of [paths.token, paths.owner, paths.lock, paths.installed]) writeFileSync(path, '')
  writeHomeRecord(home, thisHome(home))
  cpSync(home, copy, { recursive: true })
  const all = (sql: string, of = copy) => {
    using database = new DatabaseSync(homePaths(of).database, { readOnly: true })
    return database.prepare(sql).all()
  }
  return { home, copy, all, env: { IRIS_HOME: copy, HOME: scratch.path } }
}

const turns =
  'SELECT turns.id, state, outcome, session_id AS conversation FROM turns JOIN team_sessions ON session = team_sessions.id'
const live = `SELECT session_id AS id, origin, origin_session AS of FROM team_sessions WHERE status <> 'archived' OR dormant = 1`

test('what a copy holds is shown, and is cancelled in it alone: messages, schedules, posts, notices', async () => {
  const { home, copy, all, env } = copied()
  const before = readFileSync(homePaths(home).database)
  expect(await leftIn(env)).toMatchObject({
    home: copy,
    why: { kind: 'copy', of: home },
    posts: 1,
    messages: [
      { turnId: 'runs', to: 'backend', acceptedAt: 2, begunAt: 3, message: 'think' },
      { turnId: 'waits', acceptedAt: 4, begunAt: null, message: 'later' },
    ],
    schedules: [{ scheduleId: 'daily', nextAt: 5 }],
  })
  await adopt(env, 'cancel')
  expect(all(turns)).toMatchObject(['runs', 'waits'].map((id) => ({ id, outcome: 'cancelled', conversation: 'one' })))
  expect(all('SELECT 1 FROM schedules')).toEqual([])
  expect(all('SELECT id FROM cancelled_schedules')).toEqual([{ id: 'daily' }])
  expect(all('SELECT state FROM channel_posts')).toEqual([{ state: 'failed' }])
  expect(all('SELECT 1 FROM notices WHERE expires_at = 8640000000000000')).toEqual([])
  expect(all(live)).toEqual([])
  expect(await leftIn(env)).toBeUndefined()
  expect(readFileSync(homePaths(home).database).equals(before)).toBe(true)
})

test('what a copy delivers goes into conversations of its own; other hosts are left to the original', async () => {
  const { all, env } = copied()
  await adopt(env, 'deliver')
  const [conversation] = all(live)
  expect(all(live)).toMatchObject([{ origin: 'reset', of: 'one' }])
  expect(all(turns)).toMatchObject([
    { id: 'runs', state: 'dispatched', conversation: conversation?.['id'] },
    { id: 'waits', state: 'accepted', conversation: conversation?.['id'] },
  ])
  expect(all('SELECT context_reset AS why FROM turns ORDER BY sequence')[0]?.['why']).toContain('is a copy of')
  expect(all('SELECT id FROM schedules')).toEqual([{ id: 'daily' }])
  expect(all('SELECT state FROM channel_posts')).toEqual([{ state: 'waiting' }])
  expect(all('SELECT answered FROM cluster_asks')).toEqual([{ answered: 1 }])
})

test('a copy keeps no credential of the original, and a restored home keeps its own', async () => {
  const { home, copy, all, env } = copied()
  const { token, owner, installed } = homePaths(copy)
  await adopt(env, 'deliver')
  expect([token, owner, installed].filter((path) => existsSync(path))).toEqual([])
  expect(existsSync(homePaths(home).token)).toBe(true)

  const restored = { IRIS_HOME: home, HOME: env.HOME }
  writeHomeRecord(home, { path: home, backedUpAt: 1000 })
  expect(await leftIn(restored)).toMatchObject({ why: { kind: 'restored', backedUpAt: 1000 } })
  await adopt(restored, 'deliver')
  expect(existsSync(homePaths(home).token)).toBe(true)
  expect(all(turns, home)).toMatchObject([{ conversation: 'one' }, { conversation: 'one' }])
  expect(all('SELECT answered FROM cluster_asks', home)).toEqual([{ answered: 0 }])
  expect(await leftIn(restored)).toBeUndefined()
})

test('a copy by hard links is not adopted: its store is the very file of the original', async () => {
  const { home, copy, all, env } = copied()
  rmSync(homePaths(copy).database)
  linkSync(homePaths(home).database, homePaths(copy).database)
  for (const work of [() => leftIn(env), () => adopt(env, 'cancel')])
    await expect(work()).rejects.toMatchObject({
      code: 'not_adopted',
      message: expect.stringContaining(`${copy} is a copy of ${home} by hard links`),
      remedy: expect.stringContaining(`cp -a '${copy}' '${copy}.copy'`),
    })
  expect(all(turns, home).map(({ outcome }) => outcome)).toEqual([null, null])
})

test('a copy whose configuration names the very store of the original is not adopted', async () => {
  const { home, copy, env } = copied({ config: 'database: { path: ROOT/elsewhere.db }\n' })
  await expect(adopt(env, 'cancel')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`it is the store of ${home}`),
  })
  expect(existsSync(homePaths(copy).token)).toBe(true)
  rmSync(home, { recursive: true })
  expect(await leftIn(env)).toBeUndefined()
})

test('a restored home whose configuration names a store elsewhere is not adopted: that is not the store of the backup', async () => {
  const { home, env } = copied({ config: 'database: { path: ROOT/elsewhere.db }\n' })
  writeHomeRecord(home, { path: home, backedUpAt: 1000 })
  await expect(adopt({ ...env, IRIS_HOME: home }, 'cancel')).rejects.toMatchObject({
    code: 'config_invalid',
    remedy: expect.stringContaining('Remove that line'),
  })
})

test.each([
  ['deliver', 'deliver'],
  ['deliver', 'cancel'],
  ['cancel', 'deliver'],
] as const)(
  'a command that was killed after it had decided "%s" is repeated with "%s": nothing twice',
  async (...decisions) => {
    const { copy, all, env } = copied()
    const { homeRecord } = homePaths(copy)
    const before = readFileSync(homeRecord)
    const conversations = 'SELECT COUNT(*) AS count FROM team_sessions'
    await adopt(env, decisions[0])
    const [once, known] = [all(turns), all(conversations)]
    // As the killed one had left it.
    writeFileSync(homeRecord, before)
    await adopt(env, decisions[1])
    expect(all(conversations)).toEqual(known)
    const conversation = once[0]?.['conversation']
    const outcome = decisions.some((each) => each === 'cancel') ? 'cancelled' : null
    expect(all(turns)).toMatchObject(['runs', 'waits'].map((id) => ({ id, outcome, conversation })))
    expect(await leftIn(env)).toBeUndefined()
  },
)

/** What a copy is in the end, whatever its new conversations are called. */
function stateOf(copy: string, all: (sql: string) => Record<string, unknown>[]) {
  const { token, owner, tokens, installed } = homePaths(copy)
  return {
    turns: all(
      `SELECT turns.id, state, outcome, context_reset, origin, origin_session FROM turns
       JOIN team_sessions ON session = team_sessions.id ORDER BY sequence`,
    ),
    conversations: all('SELECT origin, origin_session, status, dormant, archived_why FROM team_sessions ORDER BY id'),
    journal: all('SELECT type, turn FROM journal ORDER BY 1, 2'),
    schedules: all('SELECT id FROM schedules'),
    posts: all('SELECT state FROM channel_posts'),
    owed: all('SELECT answered FROM cluster_asks'),
    credentials: [token, owner, tokens, installed].filter((path) => existsSync(path)),
  }
}

test.each([
  ['copied', 'deliver'],
  ['copied', 'cancel'],
  ['restored', 'cancel'],
] as const)(
  'killed before any of its writes, "iris adopt" leaves a %s home that is adopted, or that it adopts when repeated: %s',
  async (how, decision) => {
    const { home, copy, all, env } = copied()
    const before = readFileSync(homePaths(home).database)
    const again = (): void => {
      rmSync(copy, { recursive: true })
      cpSync(home, copy, { recursive: true })
      if (how === 'restored') writeHomeRecord(copy, { path: copy, backedUpAt: 1000 })
    }
    again()
    await adopt(env, decision)
    const adopted = stateOf(copy, all)
    let writes = 0
    for (let isKilled = true; isKilled; writes += 1) {
      again()
      isKilled = await deadFrom(writes + 1, () => adopt(env, decision))
      // Before it is repeated: nothing is left to be done in a home that counts as adopted.
      const done = (await leftIn(env)) === undefined ? stateOf(copy, all) : adopted
      expect(done).toEqual(adopted)
      await adopt(env, decision)
      expect([await leftIn(env), stateOf(copy, all)]).toEqual([undefined, adopted])
    }
    expect(writes).toBeGreaterThan(how === 'copied' ? 12 : 5)
    expect(readFileSync(homePaths(home).database).equals(before)).toBe(true)
    expect(existsSync(homePaths(home).token)).toBe(true)
  },
)
