import {
  closeSync,
  copyFileSync,
  globSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { StoreRebuilt, StoreView } from '../../src/base/protocol/store.ts'
import { openDatabase } from '../../src/platform/store/database.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import type { Script } from '../support/fake-claude.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { Stage } from '../support/stage.ts'
import { isBrief } from '../support/tier.ts'

const garbage = Buffer.from('no database at all, '.repeat(1000))
const fromTeam = 'frontend'
const yes: Script = { flushDelayMs: 0, rules: [{ steps: [{ text: 'yes' }] }] }
/** Begins to answer and continues when the gate is open. */
const gated = (file: (name: string) => string): Script => ({
  flushDelayMs: 0,
  rules: [
    { when: 'slow', steps: [{ partial: 'half' }, { waitForFile: file('gate') }, { text: 'whole' }] },
    { steps: [{ text: 'yes' }] },
  ],
})

function storeOf({ iris }: Stage): string {
  return join(iris.world.home, 'data/team-sessions.db')
}

/** It is written a little after the answer. */
function transcriptOf({ iris }: Stage, sessionId: string): Promise<string> {
  const projects = join(iris.world.claudeDirectory, 'projects')
  const look = () => globSync(`*/${sessionId}.jsonl`, { cwd: projects }).map((file) => join(projects, file))[0]
  return eventually(look, 'there is a transcript')
}

/** Writes into the file where the first page of that table or index is. */
function tear(path: string, name: string): void {
  const database = new DatabaseSync(path)
  const [found] = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').all(name)
  const size = Number(database.prepare('PRAGMA page_size').get()?.['page_size'])
  database.close()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(size, 0xaa), 0, size, (Number(found?.['rootpage']) - 1) * size)
  closeSync(file)
}

function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.enableDefensive(false)
  database.exec(sql)
  database.close()
}

const damages: readonly (readonly [string, (path: string) => void])[] = [
  ['is no database', (path) => writeFileSync(path, garbage)],
  ['is empty', (path) => truncateSync(path, 0)],
  ['was cut off', (path) => truncateSync(path, 16 * 1024)],
  ['has a torn table of sessions', (path) => tear(path, 'team_sessions')],
  ['has a torn table of turns', (path) => tear(path, 'turns')],
  ['has a torn index', (path) => tear(path, 'one_live_session')],
  [
    'has a schema that is none',
    (path) =>
      execute(path, `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE' WHERE name = 'turns'`),
  ],
  ['lacks a table', (path) => execute(path, 'DROP VIEW deliveries; DROP TABLE later_deliveries')],
  ['has a log that is none', (path) => writeFileSync(`${path}-wal`, garbage)],
  ['was found damaged while Iris ran', (path) => writeFileSync(`${path}.damaged`, 'a page is wrong\n')],
]

/** Stops Iris, lets something happen to its store, starts it again. */
async function damaged(stage: Stage, damage: (path: string) => void): Promise<StoreRebuilt> {
  await stage.iris.daemon.stop(0)
  damage(storeOf(stage))
  await stage.iris.restart()
  await stage.iris.daemon.recovered
  return (await stage.iris.event('store-rebuilt')).rebuilt
}

describe('a store that', () => {
  test('is large is checked while Iris serves; what is found is fixed by the next start', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script: yes })
    const { iris } = stage
    const one = await ask(iris, 'backend', 'one', { fromTeam })
    await iris.daemon.stop(0)
    const filler = `INSERT INTO compactions (session, at, failure) SELECT id, 0, hex(zeroblob(20000000)) FROM team_sessions`
    execute(storeOf(stage), filler)
    tear(storeOf(stage), 'later_deliveries_of_turn')
    await iris.restart()
    await iris.daemon.recovered
    await eventually(() => iris.daemon.parts.store().damage !== undefined, 'the damage is found')
    expect(await refusal(iris, 'send_message', { toTeam: 'backend', message: 'x' })).toMatchObject({
      code: 'store_unavailable',
    })
    await iris.restart()
    expect((await iris.event('store-rebuilt')).rebuilt).toMatchObject({ sessions: 1, turns: 1 })
    expect(await ask(iris, 'backend', 'two', { fromTeam })).toMatchObject({ response: 'yes', sessionId: one.sessionId })
  })

  // Each third: a file that is no database, a torn table, a schema that is none, what was found while Iris ran.
  test.each(isBrief ? damages.filter((_, index) => index % 3 === 0) : damages)(
    '%s is set aside and rebuilt: every conversation goes on, every answer is there',
    async (_, damage) => {
      await using stage = await Stage.start({ script: yes })
      const { iris } = stage
      const one = await ask(iris, 'backend', 'one', { fromTeam })
      const key = { fromTeam, thread: 'other', idempotencyKey: 'k' }
      const other = await ask(iris, 'backend', 'two', key)

      const rebuilt = await damaged(stage, damage)
      expect(rebuilt).toMatchObject({ sessions: 2, turns: 2, inDoubt: 0, unreadable: 0 })
      expect(readdirSync(join(storeOf(stage), '..'))).toContain(rebuilt.setAside?.split('/').at(-1))
      const { store } = (await callTool(iris, 'team_status')) as { store: StoreView }
      expect(store).toEqual({ unrecordedEnds: 0, rebuilt })

      expect(await stage.status(one.turnId)).toMatchObject({
        status: 'completed',
        response: 'yes',
        sessionId: one.sessionId,
      })
      expect(await ask(iris, 'backend', 'two', key)).toMatchObject({ turnId: other.turnId, sessionId: other.sessionId })
      const on = await ask(iris, 'backend', 'three', { fromTeam })
      expect(on).toMatchObject({ status: 'completed', sessionId: one.sessionId })
      expect(on).not.toHaveProperty('contextReset')
      expect(deliveredUuids(stage.fake.oracle())).toEqual([one.turnId, other.turnId, on.turnId])
      expect(stage.starts()).toEqual(['start', 'start', 'resume'])

      await iris.restart()
      expect(await callTool(iris, 'team_status')).toMatchObject({ store: { unrecordedEnds: 0 } })
      expect(iris.rows('SELECT origin FROM team_sessions')).toHaveLength(2)
    },
  )

  test('is well is not touched', async () => {
    await using stage = await Stage.start({ script: yes })
    await ask(stage.iris, 'backend', 'one', { fromTeam })
    await stage.iris.restart()
    expect(await callTool(stage.iris, 'team_status')).toMatchObject({ store: { unrecordedEnds: 0 } })
    expect(readdirSync(join(storeOf(stage), '..')).filter((name) => name.includes('corrupt'))).toEqual([])
  })

  test('a newer Iris has written is refused, damaged or not, and stays where it is', async () => {
    await using stage = await Stage.start({ script: yes })
    await stage.iris.daemon.stop(0)
    const before = readFileSync(storeOf(stage))
    execute(storeOf(stage), 'PRAGMA user_version = 99')
    tear(storeOf(stage), 'turns')
    await expect(stage.iris.restart()).rejects.toMatchObject({ code: 'store_newer' })
    writeFileSync(storeOf(stage), before)
    await stage.iris.restart()
  })
})

describe('what was in flight when the store was damaged', () => {
  test.each([
    ['can still be read', (path: string) => tear(path, 'one_live_session')],
    ['is garbage', (path: string) => writeFileSync(path, garbage)],
  ])('is in doubt, and nothing of it runs again: the store %s', async (_, damage) => {
    await using stage = await Stage.start({ script: gated })
    const { iris, fake } = stage
    const key = { fromTeam, idempotencyKey: 'slow one' }
    const asked = callTool(iris, 'quick_message', { toTeam: 'backend', message: 'slow', ...key })
    const turnId = await stage.said('half')
    await asked

    const rebuilt = await damaged(stage, damage)
    expect(rebuilt).toMatchObject({ sessions: 1, turns: 1, inDoubt: 1 })
    fake.open('gate')
    const found = { turnId, status: 'in_doubt', reason: 'interrupted', detail: expect.stringContaining('damaged') }
    expect(await stage.status(turnId, 0)).toMatchObject(found)
    expect(await ask(iris, 'backend', 'slow', key)).toMatchObject(found)
    const next = await ask(iris, 'backend', 'next', { fromTeam })
    expect(deliveredUuids(fake.oracle())).toEqual([turnId, next.turnId])
  })

  test('is told as cancelled when it had been interrupted', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: gated })
    const asked = ask(stage.iris, 'backend', 'slow', { fromTeam })
    const turnId = await stage.said('half')
    await callTool(stage.iris, 'team_sleep', { team: 'backend', fromTeam, force: true })
    expect(await asked).toMatchObject({ status: 'cancelled' })
    const rebuilt = await damaged(stage, (path) => writeFileSync(path, garbage))
    expect(rebuilt).toMatchObject({ turns: 1, inDoubt: 0 })
    expect(await stage.status(turnId)).toMatchObject({ status: 'cancelled', partialResponse: 'half' })
  })

  test('is told as answered when the transcript of Claude Code has the answer', async () => {
    await using stage = await Stage.start({ script: yes })
    const { iris } = stage
    const { turnId, sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    const rebuilt = await damaged(stage, (path) => {
      execute(path, `UPDATE turns SET state = 'dispatched', outcome = NULL, answer = NULL`)
      rmSync(join(iris.world.home, 'output_streams', sessionId), { recursive: true })
      writeFileSync(`${path}.damaged`, 'a page is wrong\n')
    })
    expect(rebuilt).toMatchObject({ turns: 1, inDoubt: 0 })
    expect(await stage.status(turnId)).toMatchObject({ status: 'completed', response: 'yes' })
  })
})

describe('of the conversations found', () => {
  test('the one a pair used last is live, an earlier one is archived', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: yes })
    const { iris } = stage
    const first = await ask(iris, 'backend', 'one', { fromTeam })
    const transcript = await transcriptOf(stage, first.sessionId)
    await damaged(stage, (path) => {
      rmSync(transcript)
      rmSync(join(path, '../transcripts'), { recursive: true, force: true })
      writeFileSync(path, garbage)
    })
    await stage.clock.jump(1)
    const second = await ask(iris, 'backend', 'two', { fromTeam })
    expect(second).toMatchObject({ contextReset: expect.stringContaining('no longer has a transcript') })
    expect(second.sessionId).not.toBe(first.sessionId)

    await damaged(stage, (path) => writeFileSync(path, garbage))
    const rows = iris.rows('SELECT session_id, status, origin FROM team_sessions ORDER BY created_at')
    expect(rows).toEqual([
      { session_id: first.sessionId, status: 'archived', origin: 'rebuilt' },
      { session_id: second.sessionId, status: 'active', origin: 'rebuilt' },
    ])
    expect(await ask(iris, 'backend', 'three', { fromTeam })).toMatchObject({ sessionId: second.sessionId })
  })

  test('one without transcripts for people is known by the kept one; the fork that a person made of it is his own', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script: yes })
    const { iris } = stage
    const one = await ask(iris, 'backend', 'one', { fromTeam })
    const file = await transcriptOf(stage, one.sessionId)
    const rebuilt = await damaged(stage, (path) => {
      rmSync(join(iris.world.home, 'output_streams'), { recursive: true })
      copyFileSync(file, join(file, '..', `${crypto.randomUUID()}.jsonl`))
      writeFileSync(path, garbage)
    })
    expect(rebuilt).toMatchObject({ sessions: 1, turns: 1, unreadable: 0 })
    expect(await ask(iris, 'backend', 'two', { fromTeam })).toMatchObject({ sessionId: one.sessionId })
  })

  test('one whose file is none is counted, and the others are restored', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: yes })
    const { iris } = stage
    const one = await ask(iris, 'backend', 'one', { fromTeam })
    const two = await ask(iris, 'mobile', 'two', { fromTeam })
    const rebuilt = await damaged(stage, (path) => {
      writeFileSync(join(iris.world.home, 'output_streams', two.sessionId, 'conversation.json'), 'not JSON')
      rmSync(join(iris.world.claudeDirectory, 'projects'), { recursive: true })
      writeFileSync(path, garbage)
    })
    expect(rebuilt).toMatchObject({ sessions: 1, turns: 1, unreadable: 1 })
    expect(await stage.status(one.turnId)).toMatchObject({ response: 'yes' })
  })
})

test('of a torn table all rows but those of its torn page are saved, and the files fill the gap', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start({ script: yes })
  const { iris } = stage
  const { turnId } = await ask(iris, 'backend', 'one', { fromTeam })
  await iris.daemon.stop(0)
  const path = storeOf(stage)
  const store = openDatabase(path)
  const many = store.prepare(
    `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, answer, accepted_at)
     VALUES (?, 1, ?, 1, 0, 'settled', 'completed', 'kept', 1)`,
  )
  for (let number = 0; number < 200; number++) many.run(crypto.randomUUID(), `${number} ${'x'.repeat(300)}`)
  // The last one was asked by one whose row is going to be lost.
  store.exec(
    `UPDATE turns SET parent_turn = (SELECT id FROM turns WHERE message LIKE '100 %') WHERE message LIKE '199 %'`,
  )
  // A thread that still reads would keep the rows in the log.
  store.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  store.close()
  const rebuilt = await damaged(stage, (file) => tearLeaf(file))
  expect(rebuilt.turns).toBeGreaterThan(150)
  expect(rebuilt.turns).toBeLessThan(201)
  expect(iris.rows(`SELECT parent_turn FROM turns WHERE message LIKE '199 %'`)).toEqual([{ parent_turn: null }])
  expect(await stage.status(turnId)).toMatchObject({ status: 'completed', response: 'yes' })
})

/** Spoils a page in the middle of the rows of `turns`. */
function tearLeaf(path: string): void {
  const bytes = readFileSync(path)
  const row = bytes.indexOf(`100 ${'x'.repeat(300)}`)
  if (row === -1) throw new Error('the file does not have the row yet')
  const at = Math.floor(row / 4096) * 4096
  writeFileSync(path, Buffer.concat([bytes.subarray(0, at), Buffer.alloc(4096, 0xaa), bytes.subarray(at + 4096)]))
}
