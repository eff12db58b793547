import type { Log } from '../../base/lib/log.ts'
import { homePaths } from '../../platform/config/home.ts'
import {
  refuseUnadopted,
  thisHome,
  type Unadopted,
  unadoptedIn,
  writeHomeRecord,
} from '../../platform/config/home-record.ts'
import { readRemembered } from '../../platform/store/remembered-store.ts'

/** Why someone has to say what becomes of the messages in this home; undefined: it continues on its own. */
export function unadoptedHome(home: string): Unadopted | undefined {
  return unadoptedIn(home, (of) => readRemembered(homePaths(of).storeMemory)?.identity)
}

/** Call it before the lock, which is that of the other home: it only says that a daemon runs. Throws `not_adopted`. */
export function refuseLinked(home: string): void {
  const found = unadoptedHome(home)
  if (found?.kind === 'linked') refuseUnadopted(home, found)
}

/** Call it when the daemon may run here, so that a copy made later is recognized. */
export function recordOwnHome(home: string, log: Pick<Log, 'warn'>): void {
  try {
    writeHomeRecord(home, thisHome(home))
  } catch (error) {
    log.warn(`a copy of this home would not be known as one: ${String(error)}`)
  }
}
