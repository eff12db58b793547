import { pause, systemClock } from '../../base/lib/clock.ts'

/** The longest wait for a check, in milliseconds: a network drive or a program may hang. */
export const maxMs = 15_000

/** The result of `work`, or of `late` when `work` takes longer than `longestMs`. */
export async function withTimeLimit<T>(work: Promise<T>, late: () => T): Promise<T> {
  const over = new AbortController()
  const lateness = pause(systemClock, maxMs, over.signal).then(late)
  return Promise.race([work, lateness]).finally(() => over.abort())
}
