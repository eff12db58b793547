import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { answerFiles } from './answer-files.ts'
import { compactions } from './compactions.ts'
import { migrate, migrations } from './database.ts'
import { notices } from './notices.ts'
import { openAgents } from './open-agents.ts'
import { reports, reportTools } from './reports.ts'
import { sessions } from './sessions.ts'
import { steers } from './steers.ts'
import { type Columns, flag, json, number, Selection, Table, text } from './table.ts'
import { toolStarts } from './tool-starts.ts'
import { turns } from './turns.ts'

const notes = new Table('notes', {
  id: text(),
  writtenBy: text<string | null>('author'),
  isRead: flag<boolean | null>(),
  tags: json<readonly string[] | null>(),
  wordCount: number(),
})

function database(): DatabaseSync {
  const made = new DatabaseSync(':memory:')
  made.exec(`CREATE TABLE notes (id TEXT, author TEXT, is_read INTEGER, tags TEXT, word_count INTEGER DEFAULT 7)`)
  return made
}

const tables = [
  answerFiles,
  compactions,
  notices,
  openAgents,
  reports,
  reportTools,
  sessions,
  steers,
  toolStarts,
  turns,
]

test.each(tables as Table<Columns>[])('$name: the description has every column of the table', (table) => {
  const store = new DatabaseSync(':memory:')
  migrate(store, migrations())
  const stored = store.prepare(`SELECT name FROM pragma_table_info('${table.name}')`).all()
  expect(new Set(table.namesOf())).toEqual(new Set(stored.map((column) => column['name'])))
})

test('a row is read as it was written', () => {
  const store = database()
  const row = { id: 'one', writtenBy: 'ada', isRead: false, tags: ['a', 'b'], wordCount: 3 }
  const none = { id: 'two', writtenBy: null, isRead: null, tags: null, wordCount: 4 }
  const add = notes.insert(store, ['id', 'writtenBy', 'isRead', 'tags', 'wordCount'])
  expect(add.run(row).changes).toBe(1)
  add.run(none)
  const query = notes.select(store, 'FROM notes ORDER BY id')
  expect(query.all()).toEqual([row, none])
  expect(query.get()).toEqual(row)
  expect([...query.iterate()]).toEqual([row, none])
  expect(notes.select(store, 'FROM notes WHERE id = ?').get('three')).toBeUndefined()
  expect(store.prepare('SELECT is_read, tags FROM notes').all()).toEqual([
    { is_read: 0, tags: '["a","b"]' },
    { is_read: null, tags: null },
  ])
})

test('a selection reads some columns, and expressions', () => {
  const store = database()
  notes.insert(store, ['id', 'tags']).run({ id: 'one', tags: ['a'] })
  const short = new Selection({ ...notes.pick('wordCount', 'writtenBy'), hasTags: flag('tags IS NOT NULL') })
  expect(short.list).toBe('word_count AS "wordCount", author AS "writtenBy", tags IS NOT NULL AS "hasTags"')
  expect(short.select(store, 'FROM notes WHERE id = $id').all({ id: 'one' })).toEqual([
    { wordCount: 7, writtenBy: null, hasTags: true },
  ])
})

test('an UPDATE sets these fields', () => {
  const store = database()
  notes.insert(store, ['id', 'isRead', 'wordCount']).run({ id: 'one', isRead: false, wordCount: 2 })
  const update = notes.update(store, ['isRead', 'tags'], ', word_count = word_count + ? WHERE id = ?')
  expect(update.run({ isRead: true, tags: [] }, 5, 'one').changes).toBe(1)
  const row = { id: 'one', writtenBy: null, isRead: true, tags: [], wordCount: 7 }
  expect(notes.select(store, 'FROM notes').all()).toEqual([row])
})

test('an INSERT returns what is stored', () => {
  const store = database()
  const made = notes.insertReturning(store, ['id', 'isRead'], new Selection(notes.pick('isRead', 'wordCount')))
  expect(made.get({ id: 'one', isRead: true })).toEqual({ isRead: true, wordCount: 7 })
})
