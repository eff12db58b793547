import { watch } from 'node:fs'
import type { Observable } from 'rxjs'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { IrisError } from '../protocol/error.ts'
import type { PublishedEvent } from '../protocol/event.ts'
import { writeRemembered } from '../store/remembered-store.ts'
import type { Store } from '../store/store.ts'
import { factsOf } from '../store/store-identity.ts'
import { StorePlace } from '../store/store-place.ts'

export interface WatchStoreParts {
  readonly store: Store
  /** The file outside of the database that says that there was one. */
  readonly memory: string
  readonly events: Observable<PublishedEvent>
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
 * seconds after messages were accepted. Nobody waits for any of it. Returns what ends it.
 */
export function watchStore({ store, memory, events, clock, log, onRestored }: WatchStoreParts): () => void {
  const place = new StorePlace(store, factsOf(store).identity)
  let remembered = -1
  let endWatch = (): void => {}
  let looking: (() => void) | undefined
  let remembering: (() => void) | undefined

  const remember = (): void => {
    remembering = undefined
    look()
    try {
      const facts = factsOf(store)
      if (facts.sequence === remembered) return
      writeRemembered(memory, facts)
      remembered = facts.sequence
    } catch (error) {
      log.warn(`how far the store has come is not remembered: ${String(error)}`)
    }
  }
  const look = (): void => {
    looking?.()
    looking = undefined
    if (store.damage !== undefined) return
    const displacement = place.displacement
    // Refused before: the very file is back.
    if (displacement === undefined) return store.refuse(undefined)
    if (displacement.kind === 'overwritten') {
      log.error(`the store is damaged: ${displacement.why}; start Iris again to have it rebuilt`)
      return store.meet(displacement.why)
    }
    restore(displacement.why)
  }
  const restore = (why: string): void => {
    try {
      const setAside = place.restore(clock.now())
      store.restored = { why, setAside, at: clock.now() }
      log.error(`the file of the store was put back: ${why}; nothing is lost`, { setAside })
      begin()
      onRestored()
    } catch (error) {
      if (!store.isRefused) log.error(`the store takes nothing: ${String(error)}`)
      store.refuse(error as IrisError)
      looking = clock.after(tryAgainMs, look)
    }
  }
  const begin = (): void => {
    endWatch()
    try {
      const watcher = watch(store.path, { persistent: false }, () => {
        looking ??= clock.after(settleMs, look)
      })
      watcher.on('error', () => watcher.close())
      endWatch = () => watcher.close()
    } catch {
      // The system watches nothing more. The look after messages were accepted is left.
      endWatch = () => {}
    }
  }

  begin()
  remember()
  const accepting = events.subscribe(({ type }) => {
    if (type === 'turn-accepted') remembering ??= clock.after(rememberAfterMs, remember)
  })
  return () => {
    accepting.unsubscribe()
    remembering?.()
    remember()
    endWatch()
    looking?.()
  }
}
