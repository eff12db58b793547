import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrations, openDatabase, schemaVersion } from '../../src/platform/store/database.ts'
import { SessionRows } from '../../src/platform/store/sessions.ts'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { createWorld } from '../support/world.ts'

const newest = migrations().length
const seed = `
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  from_team TEXT,
  to_team TEXT NOT NULL,
  session_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  message_count INTEGER DEFAULT 0,
  status TEXT DEFAULT 'active'`
const inSeed001 = `,
  process_state TEXT DEFAULT 'stopped',
  current_cache_session_id TEXT,
  last_response_at INTEGER,
  launch_command TEXT,
  team_config_snapshot TEXT`
const seed000 = `
  CREATE TABLE team_sessions (${seed}, UNIQUE (from_team, to_team));
  CREATE INDEX idx_team_sessions_from_to ON team_sessions (from_team, to_team);
  CREATE INDEX idx_team_sessions_session_id ON team_sessions (session_id);
  CREATE INDEX idx_team_sessions_status ON team_sessions (status);`
const seed001 = `CREATE TABLE team_sessions (${seed}${inSeed001}, UNIQUE (from_team, to_team));`
const version1 = `${migrations()[0]} PRAGMA user_version = 1;`

/** A store that an older Iris has left, as a path. */
function oldStore(...statements: string[]): string {
  const directory = scratchDirectory()
  onTestFinished(() => directory[Symbol.dispose]())
  const path = join(directory.path, 'team-sessions.db')
  const database = new DatabaseSync(path)
  for (const statement of statements) database.exec(statement)
  database.close()
  return path
}

const made = (sessionId: string) => ({ sessionId, origin: 'new', originSession: null, originMessage: null }) as const

function row(from: string | null, to: string, session: string, usedAt: number, more: object = {}): string {
  const values = { from_team: from, to_team: to, session_id: session, created_at: 1, last_used_at: usedAt, ...more }
  const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value))
  return `INSERT INTO team_sessions (${Object.keys(values).join()}) VALUES (${Object.values(values).map(literal).join()});`
}

function opened<T>(path: string, look: (database: DatabaseSync) => T, steps = migrations()): T {
  const database = openDatabase(path, steps)
  try {
    return look(database)
  } finally {
    database.close()
  }
}

function sessionsOf(path: string): unknown[] {
  const sql = 'SELECT from_team, to_team, thread, session_id, message_count, status FROM team_sessions ORDER BY id'
  return opened(path, (database) => database.prepare(sql).all())
}

/** Everything there is in a store: its schema and its rows. */
function dump(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true })
  const schema = database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  const rows = database.prepare('SELECT * FROM team_sessions ORDER BY id').all()
  const version = schemaVersion(database)
  database.close()
  return { version, schema, rows }
}

describe('a store of an older schema is brought to the newest', () => {
  test.each([
    ['nothing at all', []],
    ['seed 000', [seed000]],
    ['seed 001', [seed001]],
    ['version 1', [version1]],
  ])('from %s: it can be worked with, and a second opening changes nothing', (_, statements) => {
    const path = oldStore(...statements)
    opened(path, (database) => {
      expect(schemaVersion(database)).toBe(newest)
      const created = new SessionRows(database).create({ from: 'a', to: 'b', thread: 'main' }, made('s1'), 5)
      expect(created).toMatchObject({ from: 'a', to: 'b', sessionId: 's1', messageCount: 0, status: 'active' })
    })
    const before = dump(path)
    opened(path, () => {})
    expect(dump(path)).toEqual(before)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['seed 000', seed000],
    ['seed 001', seed001],
    ['version 1', version1],
  ])('from %s: every conversation is kept, with its id and its count', (_, schema) => {
    const path = oldStore(
      schema,
      row('frontend', 'backend', 's1', 10, { message_count: 7 }),
      row('mobile', 'backend', 's2', 20, { message_count: null }),
      row('backend', 'mobile', 's3', 30, { status: 'archived' }),
      row('frontend', 'mobile', 's4', 40, { status: 'compact_pending' }),
    )
    const active = { thread: 'main', status: 'active' }
    expect(sessionsOf(path)).toEqual([
      { from_team: 'frontend', to_team: 'backend', session_id: 's1', message_count: 7, ...active },
      { from_team: 'mobile', to_team: 'backend', session_id: 's2', message_count: 0, ...active },
      { ...active, from_team: 'backend', to_team: 'mobile', session_id: 's3', message_count: 0, status: 'archived' },
      { from_team: 'frontend', to_team: 'mobile', session_id: 's4', message_count: 0, ...active },
    ])
  })

  test('of several rows of an outside caller, which NULL allowed, the last used one lives on, the others are archived', () => {
    const path = oldStore(
      seed000,
      row(null, 'backend', 's1', 10),
      row(null, 'backend', 's2', 30),
      row(null, 'backend', 's3', 20),
      row(null, 'backend', 's4', 40, { status: 'archived' }),
      row(null, 'mobile', 's5', 10),
    )
    const external = { from_team: 'external', thread: 'main', message_count: 0 }
    expect(sessionsOf(path)).toEqual([
      { ...external, to_team: 'backend', session_id: 's1', status: 'archived' },
      { ...external, to_team: 'backend', session_id: 's2', status: 'active' },
      { ...external, to_team: 'backend', session_id: 's3', status: 'archived' },
      { ...external, to_team: 'backend', session_id: 's4', status: 'archived' },
      { ...external, to_team: 'mobile', session_id: 's5', status: 'active' },
    ])
    const why = opened(path, (database) =>
      database.prepare('SELECT session_id, archived_why FROM team_sessions WHERE archived_at IS NOT NULL').all(),
    )
    expect(why).toEqual([
      { session_id: 's1', archived_why: 'a later session of the same pair' },
      { session_id: 's3', archived_why: 'a later session of the same pair' },
      { session_id: 's4', archived_why: 'archived by upstream Iris' },
    ])
  })

  test('a pair cannot have two live conversations, and no asker is nobody', () => {
    opened(oldStore(), (database) => {
      const rows = new SessionRows(database)
      const pair = { from: 'external', to: 'b', thread: 'main' }
      const first = rows.create(pair, made('s1'), 5)
      expect(() => rows.create(pair, made('s2'), 6)).toThrow('UNIQUE')
      rows.archive(first.id, 'lost', 7)
      expect(rows.create(pair, made('s3'), 8)).toMatchObject({ sessionId: 's3' })
      expect(() => database.exec(row(null, 'b', 's4', 9))).toThrow('NOT NULL')
    })
  })
})

test('a commit waits for the disk', () => {
  opened(oldStore(), (database) => {
    // 2 is FULL. It is SQLite's default too, so that only another word for it turns this red.
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  })
})

describe('a store that cannot be brought to the newest schema', () => {
  test('because a newer Iris has written it is refused, and not touched', () => {
    const path = oldStore()
    const newer = `PRAGMA user_version = ${newest + 1}; PRAGMA journal_mode = DELETE`
    opened(path, (database) => database.exec(`${row('a', 'b', 's1', 1)} ${newer}`))
    const before = [dump(path), readFileSync(path)]
    expect(() => openDatabase(path)).toThrow(
      expect.objectContaining({ code: 'store_newer', message: expect.stringContaining(`version ${newest + 1}`) }),
    )
    expect([dump(path), readFileSync(path)]).toEqual(before)
  })

  test('because a step fails in the middle stays as it was before that step, and opens when the step is well', () => {
    const path = oldStore(version1, row('a', 'b', 's1', 1))
    const steps = [
      ...migrations(),
      'CREATE TABLE half (a); INSERT INTO half VALUES (1); INSERT INTO nowhere VALUES (1);',
    ]
    expect(() => openDatabase(path, steps)).toThrow(expect.objectContaining({ code: 'store_unavailable' }))
    expect(dump(path)).toMatchObject({ version: newest, rows: [{ session_id: 's1' }] })
    expect(JSON.stringify(dump(path))).not.toContain('half')
    steps[newest] = 'CREATE TABLE whole (a);'
    opened(path, (database) => expect(schemaVersion(database)).toBe(newest + 1), steps)
  })

  test('because of what stands in it keeps all of it', () => {
    const path = oldStore(seed000, row('a', 'b', 's1', 1), row('a', 'c', 's2', 2, { created_at: 'yesterday' }))
    const before = dump(path) as { rows: unknown[] }
    expect(() => openDatabase(path)).toThrow(expect.objectContaining({ code: 'store_unavailable' }))
    expect(dump(path)).toMatchObject({ rows: before.rows, version: 1 })
  })

  test('because it is no store at all is not overwritten', () => {
    const path = oldStore()
    const text = 'Dear diary, this is no database. '.repeat(50)
    const database = join(path, '..', 'diary.db')
    writeFileSync(database, text)
    expect(() => openDatabase(database)).toThrow(
      expect.objectContaining({ code: 'store_unavailable', message: expect.stringContaining('not a database') }),
    )
    expect(readFileSync(database, 'utf8')).toBe(text)
  })
})

test('after a kill the store says of no conversation that it has a process', async () => {
  await using world = await createWorld({ claude: 'fake' })
  const states = (): unknown[] => {
    const database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
    const rows = database.prepare('SELECT process_state AS state FROM team_sessions').all()
    database.close()
    return rows.map(({ state }) => state)
  }
  await using killed = await DaemonProcess.start(world)
  await ask(killed, 'backend', 'hello')
  expect(states()).toEqual(['idle'])
  await killed.kill()
  await using next = await DaemonProcess.start(world)
  expect(next.pid).not.toBe(killed.pid)
  expect(states()).toEqual(['stopped'])
})
