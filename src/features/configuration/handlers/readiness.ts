import type { StoreView } from '../../../base/protocol/store.ts'
import type { Vitals } from '../../../platform/metrics/vitals.ts'
import type { StoreFile } from '../../../platform/store/store-file.ts'

/** The dependencies of these operations. */
export interface ReadinessParts {
  readonly store: () => StoreView
  readonly storeFile: StoreFile
  readonly vitals: Vitals
}

/**
 * Why Iris currently accepts no messages; empty if it accepts them. Contains no file names or secrets, because anyone
 * may read it.
 */
export function notReadyBecause({
  vitals,
  store,
  storeFile,
}: Pick<ReadinessParts, 'vitals' | 'store' | 'storeFile'>): string[] {
  const { damage, unrecordedEnds } = store()
  return [
    ...(vitals.phase === 'recovering' ? ['Iris is still recovering what its last run left unfinished.'] : []),
    ...(vitals.phase === 'stopping' ? ['Iris is stopping.'] : []),
    ...(damage !== undefined ? ['The store is damaged: restart Iris to fix it.'] : []),
    ...(damage === undefined && storeFile.trouble !== undefined ? ['The store cannot be written.'] : []),
    ...(unrecordedEnds > 0 ? ['The store does not take the ends of messages.'] : []),
  ]
}
