import { existsSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { writeRemembered } from './remembered-store.ts'
import type { Store } from './store.ts'
import { storeFactsOf } from './store-identity.ts'
import { StorePlace } from './store-place.ts'

export interface StoreWatchParts {
  readonly store: Store
  /** The file outside the database that records that a store exists. */
  readonly memory: string
  /** The record of the home, which is missing once the home has been moved or removed. */
  readonly homeRecord: string
  readonly clock: Clock
  readonly log: Log
  /** The store's path now names another file, so other connections to the store must be reopened. */
  readonly onRestored: () => void
}

/** How long after an accepted message the state of the ledger is recorded outside the database. */
const rememberAfterMs = 5000
/** A deletion changes several files. After this delay, their events are handled together. */
const settleMs = 20
const tryAgainMs = 1000

/**
 * Records outside the database which turn in the ledger is the latest, and restores the store's file after it was
 * deleted or replaced (docs/decisions/0031). The main file is watched; only checkpoints write to it. The files are also
 * checked some seconds after each accepted message.
 */
export class StoreWatch {
  readonly #parts: StoreWatchParts
  readonly #place: StorePlace
  readonly #hadRecord: boolean
  #remembered = -1
  #endWatch = (): void => {}
  #cancelLook: (() => void) | undefined
  #cancelRemembering: (() => void) | undefined

  constructor(parts: StoreWatchParts) {
    this.#parts = parts
    this.#place = new StorePlace(parts.store, storeFactsOf(parts.store).identity)
    this.#hadRecord = existsSync(parts.homeRecord)
    this.#watch()
    this.#remember()
  }

  /** Call after a message has been accepted. */
  accepted(): void {
    this.#cancelRemembering ??= this.#parts.clock.machine.after(rememberAfterMs, () => this.#remember())
  }

  /** Call before the store is closed. */
  end(): void {
    this.#cancelRemembering?.()
    this.#remember()
    this.#endWatch()
    this.#cancelLook?.()
  }

  #remember(): void {
    const { store, memory, log } = this.#parts
    this.#cancelRemembering = undefined
    this.#look()
    try {
      const facts = storeFactsOf(store)
      if (facts.sequence === this.#remembered) return
      // The record must not be ahead of the store after a power cut.
      store.syncNow()
      writeRemembered(memory, facts, store.location() ?? undefined)
      this.#remembered = facts.sequence
    } catch (error) {
      log.warn(`the state of the store could not be recorded: ${String(error)}`)
    }
  }

  #look(): void {
    const { store, log } = this.#parts
    this.#cancelLook?.()
    this.#cancelLook = undefined
    if (store.damage !== undefined) return
    const displacement = this.#place.displacement
    // After a failed restore, the original file itself may be back.
    if (displacement === undefined) store.refuse(undefined)
    else if (displacement.kind === 'moved') this.#restore(displacement.why)
    else {
      log.error(`the store is damaged: ${displacement.why}; start Iris again to have it rebuilt`)
      store.meet(displacement.why)
    }
  }

  #restore(why: string): void {
    const { store, homeRecord, clock, log, onRestored } = this.#parts
    try {
      // A store restored in the former place of a moved home would deliver the home's messages a second time.
      if (this.#hadRecord && !existsSync(homeRecord)) throw homeGone(dirname(homeRecord))
      const setAside = this.#place.restore(clock.now())
      store.restored = { why, setAside, at: clock.now() }
      log.error(`the store's file was restored: ${why}; nothing is lost`, { setAside })
      this.#watch()
      onRestored()
    } catch (error) {
      if (!store.isRefused) log.error(`the store refuses everything: ${String(error)}`)
      store.refuse(error as IrisError)
      this.#cancelLook = clock.machine.after(tryAgainMs, () => this.#look())
    }
  }

  #watch(): void {
    this.#endWatch()
    this.#endWatch = () => {}
    try {
      const watcher = watch(this.#parts.store.path, { persistent: false }, () => {
        this.#cancelLook ??= this.#parts.clock.machine.after(settleMs, () => this.#look())
      })
      watcher.on('error', () => watcher.close())
      this.#endWatch = () => watcher.close()
    } catch {
      // The system allows no more watches. Iris still checks the files after accepted messages.
    }
  }
}

function homeGone(home: string): IrisError {
  return new IrisError(
    'store_unavailable',
    `${home} was moved or removed while Iris was running, so Iris does not restore the store there.`,
    'Start Iris again, with IRIS_HOME set to where the home is now.',
  )
}
