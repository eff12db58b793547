import { homePaths } from '../../platform/config/home.ts'
import { type Unadopted, unadoptedIn } from '../../platform/config/home-record.ts'
import { readRemembered } from '../../platform/store/remembered-store.ts'

/** Why somebody has to say what becomes of the messages in this home; undefined: it goes on by itself. */
export function unadoptedHome(home: string): Unadopted | undefined {
  return unadoptedIn(home, (of) => readRemembered(homePaths(of).storeMemory)?.identity)
}
