import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { IrisError } from '../../base/protocol/error.ts'
import { newestSchema, schemaVersion } from './database.ts'
import { lockWaitMs } from './plain-store.ts'
import type { RememberedStore, StoreFacts } from './remembered-store.ts'
import { storeError } from './store-trouble.ts'

/**
 * A number above 0 that fits into the four bytes of SQLite's `application_id`. `random` returns a number from 0 up to,
 * but not including, 1.
 */
export function newIdentity(random: () => number): number {
  return 1 + Math.floor(random() * (2 ** 31 - 1))
}

export function setIdentity(database: DatabaseSync, identity: number): void {
  database.exec(`PRAGMA application_id = ${identity}`)
}

export function storeFactsOf(database: DatabaseSync): StoreFacts {
  const identity = Number(database.prepare('PRAGMA application_id').get()?.['application_id'])
  const hasTurns = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'turns'`).get() !== undefined
  const last = hasTurns ? database.prepare('SELECT MAX(sequence) AS last FROM turns').get()?.['last'] : 0
  return { identity, sequence: Number(last ?? 0) }
}

/** `why` completes "The store was lost: …". `isForeign`: the file is intact, but is the store of another Iris. */
export interface Loss {
  readonly why: string
  readonly isForeign: boolean
}

/**
 * Why the file at this path is not the store that Iris remembers, or is an older state of that store; undefined if it
 * is that store in its latest state. SQLite treats an absent file as an empty store, and silently loses the commits of
 * a truncated write-ahead log. Changes nothing.
 */
export function lossOf(path: string, remembered: RememberedStore | undefined): Loss | undefined {
  if (remembered === undefined) return undefined
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return { why: 'its file is gone', isForeign: false }
  using database = new DatabaseSync(path, { readOnly: true, timeout: lockWaitMs })
  // If a newer Iris created the store, `openDatabase` will refuse it and say why.
  if (schemaVersion(database) > newestSchema()) return undefined
  const { identity, sequence } = storeFactsOf(database)
  if (identity === 0) return { why: 'the file in its place is not a store of Iris', isForeign: false }
  if (remembered.identity !== undefined && identity !== remembered.identity) {
    return { why: 'the file in its place is the store of another Iris', isForeign: true }
  }
  if (sequence >= remembered.sequence) return undefined
  return { why: `it ends with message ${sequence}, and there were ${remembered.sequence}`, isForeign: false }
}

/**
 * Throws `store_unavailable` for another program's file at a path that Iris has not used before. Otherwise Iris would
 * move that file away as if it were a damaged store.
 */
export function refuseForeign(path: string, remembered: RememberedStore | undefined): void {
  if (remembered !== undefined && (remembered.path ?? path) === path) return
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0 || !isForeign(path)) return
  throw new IrisError(
    'store_unavailable',
    `${path} is not a store of Iris, and Iris has never used it as one. Nothing was changed.`,
    'Set database.path in config.yaml to a file that does not exist yet.',
  )
}

function isForeign(path: string): boolean {
  if (identityInFile(path) === undefined) return true
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: lockWaitMs })
    const tables = database
      .prepare('SELECT name FROM sqlite_schema')
      .all()
      .map(({ name }) => name)
    return tables.length > 0 && !tables.includes('team_sessions')
  } catch (error) {
    throw storeError(path, error)
  }
}

const headerBytes = 72
const identityAt = 68

/**
 * The identity in the header of the main file, read without SQLite; undefined if it is not an SQLite file. The
 * checkpoint at the start of Iris wrote the identity there.
 */
export function identityInFile(path: string): number | undefined {
  const header = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  try {
    const isWhole = readSync(file, header, 0, headerBytes, 0) === headerBytes
    return isWhole && header.toString('latin1', 0, 15) === 'SQLite format 3'
      ? header.readUInt32BE(identityAt)
      : undefined
  } finally {
    closeSync(file)
  }
}
