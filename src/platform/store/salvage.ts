import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { transaction } from './database.ts'
import { isLocked, isStoreTrouble } from './store-trouble.ts'

type Row = Record<string, null | number | string | Uint8Array>

/**
 * For each table of a new store, copies every readable row of a damaged store into the new one. Does not change the
 * damaged store. Leaves out rows that violate a constraint. Throws if the new store cannot be written or the damaged
 * one is locked.
 */
export function salvage(damaged: string, into: DatabaseSync): void {
  if (!existsSync(damaged)) return
  const from = new DatabaseSync(damaged, { readOnly: true, timeout: 5000 })
  try {
    transaction(into, () => {
      into.exec('PRAGMA defer_foreign_keys = ON')
      for (const table of tablesOf(into)) copyTable(from, into, table)
      dropOrphans(into)
    })
  } finally {
    from.close()
  }
}

function tablesOf(database: DatabaseSync): readonly string[] {
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
  return database
    .prepare(sql)
    .all()
    .map(({ name }) => String(name))
}

function copyTable(from: DatabaseSync, into: DatabaseSync, table: string): void {
  const old = new Set(columnsOf(from, table))
  const columns = columnsOf(into, table).filter((column) => old.has(column))
  if (columns.length === 0) return
  const places = columns.map(() => '?').join()
  const insert = into.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join()}) VALUES (${places})`)
  for (const row of readable(from, table, columns)) {
    try {
      insert.run(...columns.map((column) => row[column] ?? null))
    } catch (error) {
      // Any other error means that a value has the wrong type. Only damage can cause that, so the row is left out.
      if (isStoreTrouble(error)) throw error
    }
  }
}

function columnsOf(database: DatabaseSync, table: string): readonly string[] {
  try {
    return database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name))
  } catch {
    return []
  }
}

function readable(database: DatabaseSync, table: string, columns: readonly string[]): Iterable<Row> {
  const hasRowid = database.prepare(`SELECT wr FROM pragma_table_list('${table}')`).get()?.['wr'] === 0
  return hasRowid ? byRowid(database, table, columns) : fromBothEnds(database, table, columns)
}

/**
 * For a table without row ids: reads up to the first unreadable page, then from the end backwards to the last
 * unreadable page.
 */
function* fromBothEnds(database: DatabaseSync, table: string, columns: readonly string[]): Iterable<Row> {
  const keys = database.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`).all()
  for (const direction of ['ASC', 'DESC']) {
    const order = keys.map(({ name }) => `${String(name)} ${direction}`).join()
    try {
      yield* database.prepare(`SELECT ${columns.join()} FROM ${table} ORDER BY ${order}`).iterate() as Iterable<Row>
      return
    } catch (error) {
      if (isLocked(error)) throw error
    }
  }
}

/** Skips an unreadable page in growing steps of row ids, because the ids on the page are unknown. */
function* byRowid(database: DatabaseSync, table: string, columns: readonly string[]): Iterable<Row> {
  const sql = `SELECT rowid AS place, ${columns.join()} FROM ${table} WHERE rowid > ? ORDER BY rowid`
  let step = 1
  for (let place = 0; Number.isSafeInteger(place); step *= 2) {
    try {
      for (const row of database.prepare(sql).iterate(place)) {
        place = Number(row['place'])
        step = 1
        yield row as Row
      }
      return
    } catch (error) {
      if (isLocked(error)) throw error
      place += step
    }
  }
}

/** Deletes rows whose parent row was lost. A turn whose parent turn was lost is kept. */
function dropOrphans(database: DatabaseSync): void {
  const violations = database.prepare('PRAGMA foreign_key_check')
  for (let found = violations.all(); found.length > 0; found = violations.all()) {
    for (const { table: name, rowid, parent } of found) {
      const table = String(name)
      if (table === 'turns' && parent === 'turns') {
        database.prepare('UPDATE turns SET parent_turn = NULL WHERE rowid = ?').run(Number(rowid))
      } else if (rowid === null) {
        database.exec(`DELETE FROM ${table} WHERE turn NOT IN (SELECT id FROM turns)`)
      } else {
        database.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(Number(rowid))
      }
    }
  }
}
