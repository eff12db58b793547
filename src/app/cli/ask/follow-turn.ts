import { setTimeout as delay } from 'node:timers/promises'
import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'

/** How long to wait for a daemon that restarts and continues its accepted turns, milliseconds. */
export const restartMs = 30_000
export const lookAgainMs = 200

/**
 * Waits for the end of a turn, `timeoutMs` at most (0: without limit); returns its result, or its state when the time
 * is over. `fromTeam`: who asked, and learns which files have changed. A daemon that goes away may return within
 * `restartMs`: it continues what it had accepted. Throws the signal's reason, `daemon_unreachable`, and the daemon's
 * refusals.
 */
export async function endOf(
  context: CommandContext,
  turn: Pick<Input<'message_status'>, 'turnId' | 'fromTeam' | 'from' | 'everything'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Output<'message_status'>> {
  const began = systemClock.elapsed()
  let lostAt: number | undefined
  for (;;) {
    const left = timeoutMs > 0 ? Math.max(1, Math.round(timeoutMs - (systemClock.elapsed() - began))) : timeoutMs
    const asked = systemClock.elapsed()
    try {
      return await call(context, 'message_status', { ...turn, timeout: left }, { signal })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const isLost = error instanceof IrisError && ['daemon_unreachable', 'shutting_down'].includes(error.code)
      // A call that was held longer than a restart takes had a daemon: the connection was lost just now.
      if (lostAt === undefined || systemClock.elapsed() - asked > restartMs) lostAt = systemClock.elapsed()
      if (!isLost || systemClock.elapsed() - lostAt > restartMs) throw error
    }
    await delay(lookAgainMs)
  }
}
