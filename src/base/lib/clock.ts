/** Time as a dependency, so that tests own it. Durations come from `elapsed`, never from `now`. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For people and records only. */
  now(): number
  /** Monotonic milliseconds from an arbitrary start; unharmed by clock jumps. */
  elapsed(): number
  /** Calls `run` once after `ms`. Returns the function that takes it back. */
  after(ms: number, run: () => void): () => void
}

// setTimeout turns longer delays into 1 ms.
const longestDelayMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, longestDelayMs))
    return () => clearTimeout(timer)
  },
}

/**
 * The times of one thing, which begins at `at`: as the wall clock has it then, and from there on as long as it takes. The
 * difference of two of them is a duration, whatever is done to the wall clock meanwhile.
 */
export function timesFrom(at: number, clock: Pick<Clock, 'elapsed'>): () => number {
  const began = clock.elapsed()
  return () => at + Math.round(clock.elapsed() - began)
}

/** Calls `run` every `ms` from now on. Returns the function that ends it. */
export function every(clock: Clock, ms: number, run: () => void): () => void {
  let cancelTimer = clock.after(ms, function again() {
    cancelTimer = clock.after(ms, again)
    run()
  })
  return () => cancelTimer()
}

/** Settles after `ms`, or as soon as the signal is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      cancelTimer()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancelTimer = clock.after(ms, end)
    signal?.addEventListener('abort', end)
  })
}

/** Whether `ms` have passed, or the signal was aborted, before it settled. */
export async function outlasts(
  clock: Clock,
  ms: number,
  awaited: Promise<void>,
  signal?: AbortSignal,
): Promise<boolean> {
  const over = new AbortController()
  const waiting = pause(clock, ms, signal ? AbortSignal.any([signal, over.signal]) : over.signal).then(() => true)
  const isOver = await Promise.race([awaited.then(() => false), waiting])
  over.abort()
  return isOver
}
