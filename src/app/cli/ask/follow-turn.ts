import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { TurnResult } from '../../../base/protocol/turn.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { call } from '../call.ts'

/** A daemon that is started anew goes on with what it had accepted; so long it is waited for. */
export const restartMs = 30_000
export const lookAgainMs = 200

/**
 * How a turn ended, or how it stands when `timeoutMs` is over: 0 waits for the end. What Iris had accepted it keeps, so a
 * daemon that goes away is waited for. Throws the signal's reason, and `daemon_unreachable`.
 */
export async function endOf(
  env: Environment,
  turnId: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<TurnResult> {
  const began = systemClock.elapsed()
  let lostAt: number | undefined
  for (;;) {
    const left = timeoutMs > 0 ? Math.max(1, Math.round(timeoutMs - (systemClock.elapsed() - began))) : timeoutMs
    try {
      return await call(env, 'message_status', { turnId, timeout: left }, { signal })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const isLost = error instanceof IrisError && ['daemon_unreachable', 'shutting_down'].includes(error.code)
      lostAt ??= systemClock.elapsed()
      if (!isLost || systemClock.elapsed() - lostAt > restartMs) throw error
    }
    await delay(lookAgainMs)
  }
}
