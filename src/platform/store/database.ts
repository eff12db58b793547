import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { Store } from './store.ts'

const migrationsDirectory = join(import.meta.dirname, 'migrations')
/**
 * The schema that all migrations create together. Creating it in one step is much quicker. `npm run generate` writes
 * it, and a test compares it with the migrations.
 */
const schemaFile = join(import.meta.dirname, 'schema.sql')

function migrationFiles(): readonly string[] {
  const files = readdirSync(migrationsDirectory).filter((file) => file.endsWith('.sql'))
  return files.sort()
}

/** The numbered migrations, in order. The n-th brings a store from version n-1 to n. */
export function migrations(): readonly string[] {
  return migrationFiles().map((file) => readFileSync(join(migrationsDirectory, file), 'utf8'))
}

/**
 * Opens the store, brings it to the newest schema, and makes every commit durable (`synchronous=FULL`), because
 * accepted messages must survive a power cut. Throws `store_newer` or `store_unavailable`.
 */
export function openDatabase(path: string, steps?: readonly string[]): Store {
  let database: Store | undefined
  try {
    makeDirectory(dirname(path))
    database = new Store(path)
    refuseNewer(database, steps?.length)
    chmodSync(path, 0o600)
    const isNew = isEmpty(database)
    // Lets the file give free pages back to the disk. This can be chosen only before the first table is created.
    if (isNew) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.makeDurable()
    if (isNew && steps === undefined) makeTables(database)
    else migrate(database, steps ?? migrations())
    return database
  } catch (error) {
    database?.close()
    if (error instanceof IrisError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new IrisError(
      'store_unavailable',
      `The store ${path} cannot be opened: ${why}.`,
      'Check that the file and its directory belong to the user who runs Iris and are writable, and that the disk is not full.',
      { cause: error },
    )
  }
}

export function newestSchema(): number {
  return migrationFiles().length
}

/** Throws `store_newer`. */
export function refuseNewer(database: DatabaseSync, newest = newestSchema()): void {
  const version = schemaVersion(database)
  if (version <= newest) return
  throw new IrisError(
    'store_newer',
    `The store has schema version ${version}, but this Iris supports versions only up to ${newest}.`,
    'Start the newer Iris that wrote it. Nothing was changed.',
  )
}

/** Brings an empty store to the newest schema. */
export function makeTables(database: DatabaseSync): void {
  const schema = readFileSync(schemaFile, 'utf8')
  transaction(database, () => database.exec(schema))
}

export function migrate(database: DatabaseSync, steps: readonly string[]): void {
  const from = schemaVersion(database)
  const rest = steps.map((step, index) => `${step};\nPRAGMA user_version = ${index + 1}`).slice(from)
  // Each commit waits for the disk, so a new store is made in a single commit. In an older store, each step has its own
  // commit, so that the steps before a failing one are kept.
  const parts = isEmpty(database) ? [rest.join(';\n')] : rest
  for (const part of parts) transaction(database, () => database.exec(part))
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

export function schemaVersion(database: DatabaseSync): number {
  return database.prepare('PRAGMA user_version').get()?.['user_version'] as number
}

/** Runs `work` in a transaction; if it throws, rolls back and rethrows. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** Ignores its own failure: the original error says more, and a broken connection ends its transaction by itself. */
function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK')
  } catch {}
}
