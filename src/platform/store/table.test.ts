import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { flag, json, number, Selection, Table, text } from './table.ts'

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

test('a row is read as it was written', () => {
  const store = database()
  const row = { id: 'one', writtenBy: 'ada', isRead: false, tags: ['a', 'b'], wordCount: 3 }
  const none = { id: 'two', writtenBy: null, isRead: null, tags: null, wordCount: 4 }
  const add = notes.insert(store, notes.pick('id', 'writtenBy', 'isRead', 'tags', 'wordCount'))
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
  notes.insert(store, notes.pick('id', 'tags')).run({ id: 'one', tags: ['a'] })
  const short = new Selection({ ...notes.pick('wordCount', 'writtenBy'), hasTags: flag('tags IS NOT NULL') })
  expect(short.list).toBe('word_count AS "wordCount", author AS "writtenBy", tags IS NOT NULL AS "hasTags"')
  expect(short.select(store, 'FROM notes WHERE id = $id').all({ id: 'one' })).toEqual([
    { wordCount: 7, writtenBy: null, hasTags: true },
  ])
})

test('a row that lacks a column, or has a value of another type, is a mistake of types', () => {
  const add = notes.insert(database(), notes.pick('id', 'isRead'))
  // @ts-expect-error
  expect(() => add.run({ isRead: null })).toThrow('cannot be bound')
  // @ts-expect-error
  add.run({ id: 'one', isRead: 1 })
})

test('an UPDATE sets these fields', () => {
  const store = database()
  notes.insert(store, notes.pick('id', 'isRead', 'wordCount')).run({ id: 'one', isRead: false, wordCount: 2 })
  const update = notes.update(store, notes.pick('isRead', 'tags'), ', word_count = word_count + ? WHERE id = ?')
  expect(update.run({ isRead: true, tags: [] }, 5, 'one').changes).toBe(1)
  const row = { id: 'one', writtenBy: null, isRead: true, tags: [], wordCount: 7 }
  expect(notes.select(store, 'FROM notes').all()).toEqual([row])
})

test('an INSERT returns what is stored', () => {
  const store = database()
  const made = notes.insertReturning(
    store,
    notes.pick('id', 'isRead'),
    new Selection(notes.pick('isRead', 'wordCount')),
  )
  expect(made.get({ id: 'one', isRead: true })).toEqual({ isRead: true, wordCount: 7 })
})
