import type { StoreRebuilt } from '../protocol/store.ts'
import { damageOf, missingParts } from '../store/damage.ts'
import { openDatabase } from '../store/database.ts'
import type { Store } from '../store/store.ts'
import { type RebuildParts, rebuildStore } from './rebuild.ts'

export interface OpenedStore {
  readonly store: Store
  /** What became of a damaged one. */
  readonly rebuilt: StoreRebuilt | undefined
}

/**
 * Opens the store; a damaged one is set aside and made anew first. `beforeRebuild`: nobody may write the conversations
 * any more. Throws `store_newer` or `store_unavailable`.
 */
export async function openStore(parts: RebuildParts, beforeRebuild: () => Promise<unknown>): Promise<OpenedStore> {
  const found = open(parts.path)
  if (typeof found !== 'string') return { store: found, rebuilt: undefined }
  await beforeRebuild()
  const rebuilt = await rebuildStore(found, parts)
  return { store: openDatabase(parts.path), rebuilt }
}

/** The store, or what is wrong with it. */
function open(path: string): Store | string {
  const damage = damageOf(path)
  if (damage !== undefined) return damage
  let store: Store
  try {
    store = openDatabase(path)
  } catch (error) {
    // Met while it was opened, it is on record now.
    const met = damageOf(path)
    if (met === undefined) throw error
    return met
  }
  const [missing] = missingParts(store)
  if (missing === undefined) return store
  store.close()
  return `the ${missing} is missing`
}
