import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { Store } from './store.ts'
import { setIdentity } from './store-identity.ts'
import { StorePlace } from './store-place.ts'

/** A store that cannot be opened for a while, for example because there is no room for its write-ahead log. */
class Unopened extends Store {
  fails = false

  override open(): void {
    if (this.fails) throw new Error('disk I/O error')
    super.open()
  }
}

test('a store that was put back but could not be opened is opened by the next try, with all that it had', () => {
  const directory = scratchDirectory()
  const store = new Unopened(join(directory.path, 'store.db'))
  onTestFinished(() => {
    store.close()
    directory[Symbol.dispose]()
  })
  store.makeDurable()
  setIdentity(store, 7)
  store.exec(`CREATE TABLE words (word TEXT); INSERT INTO words VALUES ('kept'); PRAGMA wal_checkpoint`)
  const words = store.prepare('SELECT word FROM words')
  const place = new StorePlace(store, 7)

  rmSync(store.path)
  store.fails = true
  expect(() => place.restore(1)).toThrow('cannot restore it: disk I/O error')
  expect(place.displacement).toMatchObject({ kind: 'moved' })
  expect(() => place.restore(2)).toThrow('disk I/O error')

  store.fails = false
  expect(place.restore(3)).toBeNull()
  expect(place.displacement).toBeUndefined()
  expect(words.all()).toEqual([{ word: 'kept' }])
})
