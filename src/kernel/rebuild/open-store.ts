import { dirname, join } from 'node:path'
import type { StoreRebuilt } from '../../base/protocol/store.ts'
import { defaultDatabasePath } from '../../platform/config/home.ts'
import { damageOf, missingParts } from '../../platform/store/damage.ts'
import { openDatabase } from '../../platform/store/database.ts'
import { refuseOtherThanFile } from '../../platform/store/plain-store.ts'
import { type RememberedStore, readRemembered, writeRemembered } from '../../platform/store/remembered-store.ts'
import { Store } from '../../platform/store/store.ts'
import {
  type Loss,
  lossOf,
  newIdentity,
  refuseForeign,
  setIdentity,
  storeFactsOf,
} from '../../platform/store/store-identity.ts'
import { isDamage, storeError } from '../../platform/store/store-trouble.ts'
import { type RebuildParts, rebuildStore } from './rebuild.ts'

export interface OpenStoreParts extends Omit<RebuildParts, 'identity' | 'epoch'> {
  /** The file outside the database that records that a store existed. */
  readonly memory: string
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number
}

export interface OpenedStore {
  readonly store: Store
  /** The result of rebuilding a damaged or lost store. */
  readonly rebuilt: StoreRebuilt | undefined
}

/**
 * Opens the store. If the store is damaged or is not the one that Iris remembers, first sets it aside and rebuilds it.
 * Once `beforeRebuild` has resolved, nobody may write to the conversations any more. Throws `store_newer` or
 * `store_unavailable`.
 */
export async function openStore(parts: OpenStoreParts, beforeRebuild: () => Promise<unknown>): Promise<OpenedStore> {
  const { path, memory, random } = parts
  refuseOtherThanFile(path)
  const remembered = readRemembered(memory)
  if (path !== join(dirname(memory), defaultDatabasePath)) refuseForeign(path, remembered)
  const found = open(path, remembered)
  const identity = remembered?.identity ?? newIdentity(random)
  let rebuilt: StoreRebuilt | undefined
  if (!(found instanceof Store)) {
    await beforeRebuild()
    rebuilt = await rebuildStore(found, { ...parts, identity, epoch: newIdentity(random).toString(36) })
  }
  const store = found instanceof Store ? found : openDatabase(path)
  if (storeFactsOf(store).identity === 0) setIdentity(store, identity)
  // The checkpoint writes the schema and the identity to the main file, so that a lost log is noticed.
  store.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  try {
    writeRemembered(memory, storeFactsOf(store), path)
  } catch {
    // `StoreWatch` tries again later, and logs a failure.
  }
  return { store, rebuilt }
}

/** The store, or what is wrong with it. */
function open(path: string, remembered: RememberedStore | undefined): Store | Loss {
  const damage = damageOf(path)
  if (damage !== undefined) return damaged(damage)
  let store: Store
  try {
    const loss = lossOf(path, remembered)
    if (loss !== undefined) return loss
    store = openDatabase(path)
  } catch (error) {
    // If the store found damage when it was opened, a file now records the damage.
    const met = isDamage(error) ? (error as Error).message : damageOf(path)
    if (met === undefined) throw storeError(path, error)
    return damaged(met)
  }
  const [missing] = missingParts(store)
  if (missing === undefined) return store
  store.close()
  return damaged(`the ${missing} is missing`)
}

function damaged(why: string): Loss {
  return { why, isForeign: false }
}
