import type { Domain } from './call.ts'

/** Why no message can be taken at this moment; nothing is said of files or secrets, for everybody may ask. */
export function notReadyBecause({
  vitals,
  store,
  storeFile,
}: Pick<Domain, 'vitals' | 'store' | 'storeFile'>): string[] {
  const { damage, unrecordedEnds } = store()
  return [
    ...(vitals.phase === 'recovering' ? ['Iris is still taking up what a former start of it has left.'] : []),
    ...(vitals.phase === 'stopping' ? ['Iris is stopping.'] : []),
    ...(damage !== undefined ? ['The store is damaged: start Iris again to have it fixed.'] : []),
    ...(damage === undefined && storeFile.trouble !== undefined ? ['The store cannot be written.'] : []),
    ...(unrecordedEnds > 0 ? ['The store does not take the ends of messages.'] : []),
  ]
}
