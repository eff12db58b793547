import { dirname } from 'node:path'
import { spaceAt } from '../../base/lib/disk-space.ts'
import type { Store } from './store.ts'
import { StoreFile } from './store-file.ts'

const megabyte = 1024 * 1024

/**
 * Makes a store of an older Iris one that can give free pages back to the disk: writes its whole file once more, which blocks
 * and needs twice its size on the disk. Returns why it could not; undefined: it can shrink now.
 */
export async function makeShrinkable(store: Store, clock: ConstructorParameters<typeof StoreFile>[1]) {
  if (Number(store.prepare('PRAGMA auto_vacuum').get()?.['auto_vacuum']) !== 0) return undefined
  const { file } = new StoreFile(store, clock).sizes
  const space = await spaceAt(dirname(store.path))
  if (space !== undefined && space.freeBytes < 2 * file) {
    const needed = Math.ceil((2 * file) / megabyte)
    return `the store does not get smaller: writing it once more needs ${needed} MB of free disk, at a start of Iris`
  }
  store.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM')
  return undefined
}
