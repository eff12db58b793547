import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openDatabase } from '../../src/platform/store/database.ts'
import type { Store } from '../../src/platform/store/store.ts'
import { scratchDirectory } from './scratch.ts'

/** A new store, which ends with the test. */
export function newStore(): Store {
  const directory = scratchDirectory()
  const store = openDatabase(join(directory.path, 'store.db'))
  onTestFinished(() => {
    store.close()
    directory[Symbol.dispose]()
  })
  return store
}
