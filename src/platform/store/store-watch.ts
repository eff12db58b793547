import { watch } from 'node:fs'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisError } from '../../base/protocol/error.ts'
import { writeRemembered } from './remembered-store.ts'
import type { Store } from './store.ts'
import { factsOf } from './store-identity.ts'
import { StorePlace } from './store-place.ts'

export interface StoreWatchParts {
  readonly store: Store
  /** The file outside of the database that says that there was one. */
  readonly memory: string
  readonly clock: Clock
  readonly log: Log
  /** Another file has the store's name: whoever has it open by that name opens it again. */
  readonly onRestored: () => void
}

/** What is accepted is remembered outside of the database after so long. */
const rememberAfterMs = 5000
/** A deletion touches several files. */
const settleMs = 20
const tryAgainMs = 1000

/**
 * Remembers outside of the database how far it has come, and puts its file back when it is deleted or replaced
 * (docs/decisions/0031). The main file is watched, which is written at checkpoints only; besides, a look is taken some
 * seconds after messages were accepted. Nobody waits for any of it.
 */
export class StoreWatch {
  readonly #parts: StoreWatchParts
  readonly #place: StorePlace
  #remembered = -1
  #endWatch = (): void => {}
  #cancelLook: (() => void) | undefined
  #cancelRemembering: (() => void) | undefined

  constructor(parts: StoreWatchParts) {
    this.#parts = parts
    this.#place = new StorePlace(parts.store, factsOf(parts.store).identity)
    this.#watch()
    this.#remember()
  }

  /** A message was accepted. */
  accepted(): void {
    this.#cancelRemembering ??= this.#parts.clock.after(rememberAfterMs, () => this.#remember())
  }

  /** Before the store is closed. */
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
      const facts = factsOf(store)
      if (facts.sequence === this.#remembered) return
      // What is remembered of the store a power cut must not take from it.
      store.syncNow()
      writeRemembered(memory, facts)
      this.#remembered = facts.sequence
    } catch (error) {
      log.warn(`how far the store has come is not remembered: ${String(error)}`)
    }
  }

  #look(): void {
    const { store, log } = this.#parts
    this.#cancelLook?.()
    this.#cancelLook = undefined
    if (store.damage !== undefined) return
    const displacement = this.#place.displacement
    // Refused before: the very file is back.
    if (displacement === undefined) store.refuse(undefined)
    else if (displacement.kind === 'moved') this.#restore(displacement.why)
    else {
      log.error(`the store is damaged: ${displacement.why}; start Iris again to have it rebuilt`)
      store.meet(displacement.why)
    }
  }

  #restore(why: string): void {
    const { store, clock, log, onRestored } = this.#parts
    try {
      const setAside = this.#place.restore(clock.now())
      store.restored = { why, setAside, at: clock.now() }
      log.error(`the file of the store was put back: ${why}; nothing is lost`, { setAside })
      this.#watch()
      onRestored()
    } catch (error) {
      if (!store.isRefused) log.error(`the store takes nothing: ${String(error)}`)
      store.refuse(error as IrisError)
      this.#cancelLook = clock.after(tryAgainMs, () => this.#look())
    }
  }

  #watch(): void {
    this.#endWatch()
    this.#endWatch = () => {}
    try {
      const watcher = watch(this.#parts.store.path, { persistent: false }, () => {
        this.#cancelLook ??= this.#parts.clock.after(settleMs, () => this.#look())
      })
      watcher.on('error', () => watcher.close())
      this.#endWatch = () => watcher.close()
    } catch {
      // The system watches nothing more. The look after messages were accepted is left.
    }
  }
}
