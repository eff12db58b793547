/** Time as a dependency, so that tests control it. Durations come from `elapsed`, never from `now`. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For people and records only. */
  now(): number
  /** Monotonic milliseconds from an arbitrary start; changes of the wall clock do not affect it. */
  elapsed(): number
  /** Calls `run` once after `ms`. Returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void
  /**
   * The clock for real waits on programs, disks and links: grace periods, pings, retries, batches. A test that moves
   * time does not affect it. A clock that a whole simulation shares returns itself here.
   */
  readonly machine: Clock
}

// setTimeout treats longer delays as 1 ms.
const maxDelayMs = 2 ** 31 - 1

export const systemClock: Clock = {
  get machine() {
    return systemClock
  },
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, maxDelayMs))
    return () => clearTimeout(timer)
  },
}

/**
 * A clock for one thing that begins at `at`, in milliseconds since the epoch. It starts at `at` and advances with
 * `elapsed`, so the difference of two readings is a true duration even if the wall clock changes.
 */
export function timesFrom(at: number, clock: Pick<Clock, 'elapsed'>): () => number {
  const began = clock.elapsed()
  return () => at + Math.round(clock.elapsed() - began)
}

/** Calls `run` every `ms` from now on. Returns a function that stops it. */
export function every(clock: Clock, ms: number, run: () => void): () => void {
  let cancelTimer = clock.after(ms, function again() {
    cancelTimer = clock.after(ms, again)
    run()
  })
  return () => cancelTimer()
}

/** Resolves after `ms`, or as soon as the signal aborts. */
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

/** True if `ms` pass or the signal aborts before `awaited` resolves. Rejects if `awaited` rejects first. */
export async function outlasts(
  clock: Clock,
  ms: number,
  awaited: Promise<void>,
  signal?: AbortSignal,
): Promise<boolean> {
  const over = new AbortController()
  const waiting = pause(clock, ms, signal ? AbortSignal.any([signal, over.signal]) : over.signal).then(() => true)
  try {
    return await Promise.race([awaited.then(() => false), waiting])
  } finally {
    over.abort()
  }
}
