import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { openDatabase } from './database.ts'
import { GroupSync, type Sync } from './group-sync.ts'
import { maxLogBytes, type Store } from './store.ts'

function openStore(sync?: Sync): Store {
  const directory = scratchDirectory()
  const store = openDatabase(join(directory.path, 'store.db'))
  onTestFinished(() => {
    store.close()
    directory[Symbol.dispose]()
  })
  if (sync) store.syncWith(sync)
  store.exec('CREATE TABLE words (word TEXT)')
  return store
}

const write = (store: Store): void => store.withoutSync(() => store.exec(`INSERT INTO words VALUES ('a')`))

test('what waited for the disk has nothing to wait for; what did not is on it when `durable` settles', async () => {
  const store = openStore()
  expect(store.durable()).toBeUndefined()
  write(store)
  await store.durable()
  expect(store.durable()).toBeUndefined()
  write(store)
  store.syncNow()
  expect(store.durable()).toBeUndefined()
})

test('all that is written while a sync is under way shares the next one', async () => {
  const syncs: (() => void)[] = []
  const store = openStore(() => new Promise((resolve) => syncs.push(resolve)))
  const settled: number[] = []
  const writeAndWait = (turn: number): void => {
    write(store)
    void store.durable()?.then(() => settled.push(turn))
  }
  const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  writeAndWait(1)
  await tick()
  for (const turn of [2, 3]) writeAndWait(turn)
  syncs[0]?.()
  await tick()
  // The second and the third turn were written after the first sync had begun.
  expect({ settled, syncs: syncs.length }).toEqual({ settled: [1], syncs: 2 })
  syncs[1]?.()
  await tick()
  expect({ settled, syncs: syncs.length }).toEqual({ settled: [1, 2, 3], syncs: 2 })
  expect(store.durable()).toBeUndefined()
})

test('one that asks alone is synced at once; several of a moment are synced together, in another thread', async () => {
  const done: string[] = []
  const group = new GroupSync({ sync: async () => void done.push('sync'), syncNow: () => done.push('syncNow') })
  await Promise.all([group.join(1), group.join(1)])
  expect(done).toEqual(['syncNow'])
  await Promise.all([group.join(2), group.join(3)])
  expect(done).toEqual(['syncNow', 'sync'])
})

test('after a failure every commit waits for the disk again', () => {
  const store = openStore()
  expect(() => store.withoutSync(() => store.exec('nonsense'))).toThrow('nonsense')
  expect(store.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
})

test('a disk that does not keep what was written is damage: nothing more is taken, and nobody is told that it was kept', async () => {
  const store = openStore(() => Promise.reject(new Error('EIO: i/o error, fdatasync')))
  write(store)
  await expect(store.durable()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(store.damage).toContain('EIO')
  expect(() => write(store)).toThrow(expect.objectContaining({ code: 'store_unavailable' }))
  await expect(store.durable()).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('a write-ahead log that grew while something read is cut to its limit with the next writes', () => {
  const store = openStore()
  const logBytes = (): number => statSync(`${store.path}-wal`).size
  const fill = (): void => store.exec(`INSERT INTO words VALUES (printf('%.*c', ${maxLogBytes / 4}, 'x'))`)
  {
    using reader = new DatabaseSync(store.path, { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT COUNT(*) FROM words').get()
    // Pages that the reader may still see cannot leave the log.
    for (let row = 0; row < 6; row += 1) fill()
    expect(logBytes()).toBeGreaterThan(1.25 * maxLogBytes)
  }
  // The first write brings the whole log into the file; the next one restarts the log and cuts it.
  for (let row = 0; row < 2; row += 1) write(store)
  store.syncNow()
  expect(logBytes()).toBeLessThanOrEqual(maxLogBytes)
})
