import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrations } from '../../src/platform/store/database.ts'

const directory = join(import.meta.dirname, 'example')
const migrationsDirectory = join(import.meta.dirname, '../../src/platform/store/migrations')

/** The files of a directory by the number with which their names begin. */
function numbered(of: string): ReadonlyMap<number, string> {
  const files = readdirSync(of).filter((file) => file.endsWith('.sql'))
  return new Map(files.sort().map((file) => [Number.parseInt(file, 10), join(of, file)]))
}

/**
 * A store of that schema version with something in each of its tables, in memory. The rows of `example/0004.sql` are added
 * once migration 4 has run, and so live through all later ones.
 */
export function exampleStore(version = migrations().length): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  const rows = numbered(directory)
  const steps = [...numbered(migrationsDirectory)].slice(0, version)
  for (const [number, migration] of steps) {
    database.exec(readFileSync(migration, 'utf8'))
    const file = rows.get(number)
    if (file !== undefined) database.exec(readFileSync(file, 'utf8'))
  }
  database.exec(`PRAGMA user_version = ${version}`)
  return database
}
