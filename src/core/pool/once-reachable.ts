import { type Clock, pause } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

const betweenTriesMs = 1000

interface Patience {
  readonly clock: Clock
  /** Then the machine needs no waiting for: its supervisor has ended what Iris was looking for. */
  readonly graceMs: number
  readonly signal: AbortSignal
}

/** What is asked of a machine, again and again until that can be reached. Throws the signal's reason, and `host_unreachable` after `graceMs`. */
export async function onceReachable<T>(ask: () => Promise<T>, { clock, graceMs, signal }: Patience): Promise<T> {
  const until = clock.elapsed() + graceMs
  for (;;) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      const mayPass = error instanceof IrisError && error.code === 'host_unreachable'
      if (!mayPass || clock.elapsed() >= until) throw error
    }
    await pause(clock, betweenTriesMs, signal)
  }
}
