import { type Clock, pause } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

const betweenTriesMs = 1000

interface Patience {
  readonly clock: Clock
  /**
   * How long to repeat, milliseconds. After this time the machine's supervisor has ended the process, so there is
   * nothing left to wait for.
   */
  readonly graceMs: number
  readonly signal: AbortSignal
}

/**
 * Repeats `ask` while it throws `host_unreachable`, for at most `graceMs`. Throws the signal's reason and the errors of
 * `ask`.
 */
export async function retryUnreachable<T>(ask: () => Promise<T>, { clock, graceMs, signal }: Patience): Promise<T> {
  const until = clock.elapsed() + graceMs
  for (;;) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      const mayPass = error instanceof IrisError && error.code === 'host_unreachable'
      if (!mayPass || clock.elapsed() >= until) throw error
    }
    await pause(clock.machine, betweenTriesMs, signal)
  }
}
