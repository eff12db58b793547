import { existsSync, type FSWatcher, watch } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type Clock, every } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { homePaths } from '../../platform/config/home.ts'
import { homeMark } from '../../platform/config/home-mark.ts'
import {
  formerPlaces,
  movedHome,
  refuseUnadopted,
  type Unadopted,
  unadoptedIn,
  unadoptedText,
  writeHomeRecord,
} from '../../platform/config/home-record.ts'
import { lockInstance } from '../../platform/store/instance-lock.ts'
import { readRemembered } from '../../platform/store/remembered-store.ts'
import { describeDaemon } from './daemon-file.ts'

/** Why someone must decide what becomes of the messages in this home; undefined when nobody needs to decide. */
export function unadoptedHome(home: string): Unadopted | undefined {
  return unadoptedIn(home, (of) => readRemembered(homePaths(of).storeMemory)?.identity)
}

/**
 * Refuses a home that shares its files with another home. Call it before taking the lock: that is the other home's
 * lock, and would only show that a daemon is running. Throws `not_adopted`.
 */
export function refuseLinked(home: string): void {
  const found = unadoptedHome(home)
  if (found?.kind === 'linked') refuseUnadopted(home, found)
}

/** Call it when the daemon may run here, so that a copy made later is recognized. */
export function recordOwnHome(home: string, log: Pick<Log, 'warn'>): void {
  try {
    writeHomeRecord(home, movedHome(home))
  } catch (error) {
    log.warn(`a copy of this home would not be recognized as a copy: ${String(error)}`)
  }
}

const lookEveryMs = 5000
/** A directory is deleted file by file, so wait until its deletion is probably complete. */
const settleMs = 1000

/**
 * Calls `onBack` with the reason to stop when a home reappears in a former place of this home. Returns a function that
 * ends the watch.
 */
export function watchFormerPlaces(home: string, clock: Clock, onBack: (why: string) => void): () => void {
  const places = formerPlaces(home)
  if (places.length === 0) return () => {}
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    for (const place of places) {
      // Not in this thread, and one after the other: a place may be on a disk that does not answer.
      const isThere = await access(homePaths(place).storeMemory).then(
        () => true,
        () => false,
      )
      const why = isThere ? unadoptedHome(home) : undefined
      if (why === undefined) continue
      end()
      return onBack(unadoptedText(home, why))
    }
    isLooking = false
  }
  const end = every(clock, lookEveryMs, () => void look())
  return end
}

export interface LockParts {
  readonly clock: Clock
  /** Called when the lock was taken again. */
  readonly again: () => void
  /** Called with the reason to stop. */
  readonly onLost: (why: string) => void
}

/**
 * Takes the lock again when its file has been deleted or replaced; otherwise a second daemon could start on the same
 * store. If another daemon has the lock, or the home was removed, this daemon has to stop. Returns a function that ends
 * the watch and releases the lock.
 */
export function keepLock(home: string, { clock, again, onLost }: LockParts): () => void {
  const { lock, homeRecord, daemonFile } = homePaths(home)
  let own = homeMark(lock)
  const held: (() => void)[] = []
  let watchers: FSWatcher[] = []
  let cancelLook = (): void => {}
  const end = (): void => {
    cancelLook()
    for (const watcher of watchers) watcher.close()
    watchers = []
  }
  const lookIn = (ms: number): void => {
    cancelLook()
    cancelLook = clock.after(ms, look)
  }
  const lost = (why: string): void => {
    end()
    onLost(why)
  }
  const begin = (): void => {
    end()
    try {
      watchers = watchersOf(home, lock, () => lookIn(settleMs))
    } catch {
      // The system allows no more watches.
    }
  }
  const look = (): void => {
    try {
      if (homeMark(lock) === own) return
      if (!existsSync(homeRecord)) return lost(`${home} was moved or removed`)
      held.push(lockInstance(lock, () => describeDaemon(daemonFile)))
      own = homeMark(lock)
      again()
      begin()
    } catch (error) {
      if (error instanceof IrisError && error.code === 'already_running') lost(error.message)
      // The disk does not allow it now.
      else lookIn(lookEveryMs)
    }
  }
  begin()
  return () => {
    end()
    for (const letGo of held.splice(0)) letGo()
  }
}

/**
 * Watches the lock's file, and watches the home for the removal of the home or of the directory with the lock's file.
 */
function watchersOf(home: string, lock: string, onChange: () => void): FSWatcher[] {
  const names = new Set<string | null>([null, basename(home), basename(dirname(lock))])
  const watchers = [
    watch(lock, { persistent: false }, onChange),
    watch(home, { persistent: false }, (_event, name) => {
      if (names.has(name)) onChange()
    }),
  ]
  for (const watcher of watchers) watcher.on('error', () => watcher.close())
  return watchers
}
