import { pause, systemClock } from '../../base/lib/clock.ts'

/** Beyond it nobody waits for a check: a network drive, a program that hangs. Milliseconds. */
export const longestMs = 15_000

/** What comes of `work`, or of `late` when it takes too long. */
export async function within<T>(work: Promise<T>, late: () => T): Promise<T> {
  const over = new AbortController()
  const lateness = pause(systemClock, longestMs, over.signal).then(late)
  return Promise.race([work, lateness]).finally(() => over.abort())
}
