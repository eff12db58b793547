import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrations } from '../../src/platform/store/database.ts'

const directory = join(import.meta.dirname, 'example')

/**
 * A store of that schema version with something in each of its tables, in memory. The rows of `example/0004.sql` are added
 * once migration 4 has run, and so live through all later ones.
 */
export function exampleStore(version = migrations().length): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  const rows = new Map(readdirSync(directory).map((file) => [Number.parseInt(file, 10), join(directory, file)]))
  for (const [index, migration] of migrations().slice(0, version).entries()) {
    database.exec(migration)
    const file = rows.get(index + 1)
    if (file !== undefined) database.exec(readFileSync(file, 'utf8'))
  }
  database.exec(`PRAGMA user_version = ${version}`)
  return database
}
