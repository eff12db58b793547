import { dirname } from 'node:path'
import type { Clock } from '../../base/lib/clock.ts'
import { spaceAt } from '../../base/lib/disk-space.ts'
import type { Store } from './store.ts'
import { StoreFile } from './store-file.ts'

const mebibyte = 1024 * 1024
/** SQLite's value of `auto_vacuum` in a store that an older Iris created. */
const none = 0

/**
 * Lets a store made by an older Iris give free pages back to the disk. To do so, rewrites the whole file, which blocks
 * Iris and needs twice the file's size on the disk. Returns the reason if that failed, and undefined if the store can
 * shrink now.
 */
export async function makeShrinkable(store: Store, clock: Clock) {
  if (Number(store.prepare('PRAGMA auto_vacuum').get()?.['auto_vacuum']) !== none) return undefined
  const { file } = new StoreFile(store, clock).sizes
  const space = await spaceAt(dirname(store.path))
  if (space !== undefined && space.freeBytes < 2 * file) {
    const needed = Math.ceil((2 * file) / mebibyte)
    return `The store file cannot shrink: rewriting it once needs ${needed} MiB of free disk space. Free that space and restart Iris.`
  }
  store.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM')
  return undefined
}
