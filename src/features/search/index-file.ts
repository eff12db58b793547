import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../platform/store/database.ts'
import { refuseOtherThanFile } from '../../platform/store/plain-store.ts'
import { maxLogBytes } from '../../platform/store/store.ts'
import { isDamage } from '../../platform/store/store-trouble.ts'
import { tokenizer } from './snippets.ts'

/** An index of another version is rebuilt. */
const version = 2

/**
 * `texts`: one row for each text, with its place in the order of all texts as rowid; only the store has the texts
 * themselves. `unended`: indexed turns that have not ended. `progress`: the last indexed turn.
 */
const schema = `
  CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', columnsize = 0, tokenize = ${tokenizer});
  CREATE TABLE unended (sequence INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE progress (sequence INTEGER NOT NULL, turn TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${version}`

/** Opens the index. Replaces a damaged or outdated one by an empty index, which can be rebuilt from the store. */
export function openIndex(path: string): DatabaseSync {
  try {
    return open(path)
  } catch (error) {
    if (!isDamage(error)) throw error
    removeIndex(path)
    return open(path)
  }
}

/** Whether the index has all texts of the store; false for an index that cannot be read. */
export function isUpToDate(storePath: string, indexPath: string): boolean {
  try {
    using store = new DatabaseSync(storePath, { readOnly: true })
    const newest = store.prepare('SELECT sequence, id FROM turns ORDER BY sequence DESC LIMIT 1').get()
    if (newest === undefined) return true
    refuseOtherThanFile(indexPath)
    using index = new DatabaseSync(indexPath, { readOnly: true })
    const { sequence, turn } = index.prepare('SELECT sequence, turn FROM progress').get() ?? {}
    if (sequence !== newest['sequence'] || turn !== newest['id']) return false
    return index.prepare('SELECT 1 FROM unended LIMIT 1').get() === undefined
  } catch {
    return false
  }
}

export function removeIndex(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
}

function open(path: string): DatabaseSync {
  refuseOtherThanFile(path)
  const database = new DatabaseSync(path)
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${maxLogBytes}`)
    const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
    if (found === version) return database
    if (found === 0) {
      transaction(database, () => database.exec(schema))
      return database
    }
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  removeIndex(path)
  return open(path)
}
