import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { plainFile } from '../../base/lib/plain-file.ts'
import { makeTables } from './database.ts'
import { damageMarkOf } from './store.ts'
import { isDamage } from './store-trouble.ts'

/**
 * A store up to this size is checked before it is opened, at about 1 ms per megabyte; a larger store is checked while
 * Iris is serving.
 */
const checkedFirstBytes = 32 * 1024 * 1024

/**
 * Why the store must be rebuilt. Undefined if the store is sound or absent, if it is too large to be checked now, or if
 * its content is not the problem.
 */
export function damageOf(path: string): string | undefined {
  const marked = readMark(path)
  if (marked !== undefined) return marked
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) return undefined
  if (size === 0) return 'the file is empty'
  if (!isLogOrNone(`${path}-wal`)) return 'its write-ahead log is damaged'
  return size > checkedFirstBytes ? undefined : failedCheck(path)
}

/** Tables, indexes, views and triggers of the current schema that this store lacks. */
export function missingParts(database: DatabaseSync): readonly string[] {
  const present = new Set(partsOf(database))
  partsOfSchema ??= currentParts()
  return partsOfSchema.filter((name) => !present.has(name))
}

/** Cached, because the schema does not change while this program runs. */
let partsOfSchema: readonly string[] | undefined

function currentParts(): readonly string[] {
  using whole = new DatabaseSync(':memory:')
  makeTables(whole)
  return partsOf(whole)
}

function partsOf(database: DatabaseSync): readonly string[] {
  const parts = database.prepare('SELECT type, name FROM sqlite_schema').all()
  return parts.map(({ type, name }) => `${String(type)} ${String(name)}`)
}

function readMark(path: string): string | undefined {
  try {
    return plainFile(damageMarkOf(path)).trim()
  } catch {
    return undefined
  }
}

/**
 * Whether the file is a write-ahead log or absent. SQLite silently ignores any other file, and the last commits are
 * lost.
 */
function isLogOrNone(path: string): boolean {
  const magic = Buffer.alloc(4)
  try {
    const file = openSync(path, 'r')
    try {
      return readSync(file, magic, 0, 4, 0) < 4 || (magic.readUInt32BE() & ~1) === 0x377f0682
    } finally {
      closeSync(file)
    }
  } catch {
    return true
  }
}

/** Whether the store is too large to be checked before it is opened. */
export function isCheckedLater(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > checkedFirstBytes
}

/**
 * The first problem that SQLite's quick check finds. Opens the file read-only, so that a damaged store stays unchanged,
 * as evidence.
 */
export function failedCheck(path: string): string | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 250 })
    const found = database.prepare('PRAGMA quick_check(1)').get()
    const [verdict] = Object.values(found ?? {})
    return verdict === 'ok' ? undefined : String(verdict)
  } catch (error) {
    return isDamage(error) ? (error as Error).message : undefined
  } finally {
    database?.close()
  }
}
