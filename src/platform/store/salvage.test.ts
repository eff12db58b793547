import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { salvage } from './salvage.ts'

const schema = 'CREATE TABLE kept (source TEXT, id INTEGER, text TEXT, PRIMARY KEY (source, id)) STRICT, WITHOUT ROWID'
const pageBytes = 4096
const rows = 500

test('of a table without row ids the rows before and after a torn page are saved', () => {
  const directory = scratchDirectory()
  onTestFinished(() => directory[Symbol.dispose]())
  const path = join(directory.path, 'store.db')
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA page_size = ${pageBytes}; ${schema}; BEGIN`)
  const insert = database.prepare(`INSERT INTO kept VALUES ('a', ?, '${'x'.repeat(200)}')`)
  for (let id = 1; id <= rows; id++) insert.run(id)
  database.exec('COMMIT')
  const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count'])
  database.close()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, Math.floor(pages / 2) * pageBytes)
  closeSync(file)

  using into = new DatabaseSync(':memory:')
  into.exec(schema)
  salvage(path, into)
  const ids = into
    .prepare('SELECT id FROM kept')
    .all()
    .map(({ id }) => Number(id))
  expect(ids).toContain(1)
  expect(ids).toContain(rows)
  expect(ids.length).toBeGreaterThan(rows - 50)
  expect(ids.length).toBeLessThan(rows)
})
