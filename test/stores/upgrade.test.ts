import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { AuditTrail } from '../../src/features/audit/rows/audit-trail.ts'
import { migrations, openDatabase } from '../../src/platform/store/database.ts'
import { Ledger } from '../../src/platform/store/ledger.ts'
import { SessionRows } from '../../src/platform/store/sessions.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { dumpStore, schemaOf } from './dump.ts'
import { exampleStore } from './example-store.ts'
import { schemaFile, wholeSchema } from './whole-schema.ts'

type Row = Readonly<Record<string, unknown>>

const newest = migrations().length
const stores = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.sql'))

/** The path of a store that an earlier version left. */
function leftBehind(file: string): string {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const path = join(scratch.path, 'team-sessions.db')
  using database = new DatabaseSync(path)
  database.exec(readFileSync(join(import.meta.dirname, file), 'utf8'))
  return path
}

function tablesOf(database: DatabaseSync): readonly string[] {
  return schemaOf(database).flatMap(({ type, name }) => (type === 'table' ? [name] : []))
}

function rowsOf(database: DatabaseSync): ReadonlyMap<string, readonly Row[]> {
  return new Map(tablesOf(database).map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]))
}

/** Without comments, which may be reworded. */
function plainSchema(database: DatabaseSync): readonly string[] {
  return schemaOf(database).map(({ name, sql }) => `${name}: ${sql.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ')}`)
}

test('there is a store of every schema version that was in use', () => {
  expect(stores).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 6, 7].map((version) => `schema-${version}.sql`)))
})

test.each(stores)('%s: opened by this version it keeps every row, and has the schema of a new store', (file) => {
  const path = leftBehind(file)
  using old = new DatabaseSync(path)
  const before = rowsOf(old)
  old.close()
  const store = openDatabase(path)
  const after = rowsOf(store)
  expect([...before].filter(([, rows]) => rows.length === 0)).toEqual([])
  const kept = [...before].map(([table, rows]) => [table, after.get(table)?.slice(0, rows.length)])
  expect(Object.fromEntries(kept)).toMatchObject(Object.fromEntries(before))
  using fresh = exampleStore()
  expect(plainSchema(store)).toEqual(plainSchema(fresh))
  store.close()
})

test.each(stores.filter((file) => file !== 'schema-1.sql'))(
  '%s: its conversations and turns are read',
  async (file) => {
    const store = openDatabase(leftBehind(file))
    const ledger = new Ledger(store)
    const turnId = (digit: number): string => `aaaaaaaa-0000-4000-8000-00000000000${digit}`
    expect(new SessionRows(store).live({ from: 'frontend', to: 'backend', thread: 'main' })).toMatchObject({
      sessionId: '11111111-1111-4111-8111-111111111111',
      messageCount: 3,
    })
    expect(ledger.turnByKey('key-1', 'none')).toMatchObject({
      id: turnId(1),
      outcome: 'completed',
      usage: { costUsd: 0.01 },
    })
    expect(ledger.deliveriesOf(turnId(1)).map(({ why }) => why)).toEqual(['first', 'continue'])
    expect(ledger.asksOf(turnId(1)).map(({ answer }) => answer)).toEqual(['Yes: ✓ 注文'])
    expect(ledger.unsettled().map(({ id }) => id)).toEqual([turnId(5)])
    expect((await new AuditTrail(store).verify()).breaks).toEqual([])
    store.close()
  },
)

test('the example store has a row in every table: a migration that adds one adds rows to test/stores/example', () => {
  using example = exampleStore()
  const empty = [...rowsOf(example)].filter(([, rows]) => rows.length === 0).map(([table]) => table)
  expect(empty).toEqual([])
})

test('a dumped store is the same store again', () => {
  using example = exampleStore()
  using again = new DatabaseSync(':memory:')
  again.exec(dumpStore(example))
  expect(rowsOf(again)).toEqual(rowsOf(example))
  expect(dumpStore(again)).toBe(dumpStore(example))
  expect(again.prepare('PRAGMA user_version').get()).toEqual({ user_version: newest })
})

test('a new store gets in one step what all migrations make', () => {
  const written = readFileSync(join(import.meta.dirname, '../..', schemaFile), 'utf8')
  expect(written, 'npm run generate updates it').toBe(wholeSchema())
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  using fresh = openDatabase(join(scratch.path, 'fresh.db'))
  using migrated = openDatabase(join(scratch.path, 'migrated.db'), migrations())
  // The migrations leave a counter at 0, from which SQLite also counts without it.
  migrated.exec('DELETE FROM sqlite_sequence')
  expect(dumpStore(fresh)).toBe(dumpStore(migrated))
})
