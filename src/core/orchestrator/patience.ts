import type { Clock } from '../../base/lib/clock.ts'

/** Calls back once the limit has passed, as it is by then: one that was raised meanwhile counts. Returns how to cancel. */
export function afterLimit(clock: Clock, limitMs: () => number, onOver: () => void): () => void {
  const since = clock.elapsed()
  let cancel = (): void => {}
  const look = (): void => {
    const left = limitMs() - (clock.elapsed() - since)
    if (left <= 0) onOver()
    else cancel = clock.after(left, look)
  }
  cancel = clock.after(limitMs(), look)
  return () => cancel()
}
