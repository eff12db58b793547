import { homePaths } from '../../platform/config/home.ts'
import { unadoptedIn, unadoptedText, unlinking } from '../../platform/config/home-record.ts'
import { readRemembered } from '../../platform/store/remembered-store.ts'
import type { CheckContext, Diagnosis } from './check-context.ts'

/** Whether somebody must decide what becomes of the messages of a copied or restored home; no finding if not. */
export function copy({ home }: CheckContext): readonly Diagnosis[] {
  const found = unadoptedIn(home, (of) => readRemembered(homePaths(of).storeMemory)?.identity)
  if (found === undefined) return []
  const remedy = found.kind === 'linked' ? unlinking(home) : 'iris adopt'
  return [{ check: 'copy', state: 'fail', detail: unadoptedText(home, found), remedy }]
}
