import type { DatabaseSync } from 'node:sqlite'

interface SchemaObject {
  readonly type: 'table' | 'index' | 'trigger' | 'view'
  readonly name: string
  readonly sql: string
}

/** The store as SQL that makes it again. */
export function dumpStore(database: DatabaseSync): string {
  const objects = schemaOf(database)
  const tables = objects.filter(({ type }) => type === 'table')
  const others = objects.filter(({ type }) => type !== 'table')
  const version = database.prepare('PRAGMA user_version').get()?.['user_version']
  const lines = [
    // A row may stand before the one it refers to.
    'PRAGMA foreign_keys = OFF;',
    ...tables.map(({ sql }) => `${sql};`),
    ...tables.flatMap(({ name }) => inserts(database, name)),
    'DELETE FROM sqlite_sequence;',
    ...inserts(database, 'sqlite_sequence'),
    // The triggers keep entries of the audit from being changed, and a view may need every table.
    ...others.map(({ sql }) => `${sql};`),
    `PRAGMA user_version = ${String(version)};`,
  ]
  return `${lines.join('\n')}\n`
}

/** Tables, indexes, triggers and views, as they were written; not what SQLite makes on its own. */
export function schemaOf(database: DatabaseSync): readonly SchemaObject[] {
  const sql =
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name"
  return database.prepare(sql).all() as unknown as SchemaObject[]
}

function inserts(database: DatabaseSync, table: string): readonly string[] {
  const columns = database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name))
  const values = columns.map((column) => `quote(${column})`).join(" || ', ' || ")
  const rows = database.prepare(`SELECT ${values} AS row FROM ${table}`).all()
  return rows.map(({ row }) => `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${String(row)});`)
}
