import { existsSync } from 'node:fs'
import { homePaths } from '../../platform/config/home.ts'
import { type Unadopted, unadoptedIn } from '../../platform/config/home-record.ts'

/** Why a person must decide what to do with the messages in this home; undefined if the home can simply be used. */
export async function unadoptedHome(home: string): Promise<Unadopted | undefined> {
  const { homeRecord, homeRecordCopy } = homePaths(home)
  if (![homeRecord, homeRecordCopy].some((path) => existsSync(path))) return undefined
  // Loaded on demand: a new home has no record.
  const { readRemembered } = await import('../../platform/store/remembered-store.ts')
  return unadoptedIn(home, (of) => readRemembered(homePaths(of).storeMemory)?.identity)
}
