import { setTimeout as delay } from 'node:timers/promises'
import { Unanswered } from '../../../adapters/client/exchange.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { NotStarted } from '../running-daemon.ts'

/** How long to wait for a daemon that is restarting and will continue its accepted turns, in milliseconds. */
export const restartMs = 30_000
export const lookAgainMs = 200

/**
 * A call that crashes every daemon must not start daemons forever. Only daemons lost within `quickMs` of sending count.
 */
const maxQuickLosses = 10
const quickMs = 10_000

/** Whether a daemon was lost, or is not there yet, and another try may reach one. */
function isLoss(error: unknown): error is IrisError {
  const isGone = error instanceof IrisError && ['daemon_unreachable', 'shutting_down'].includes(error.code)
  return isGone && !(error instanceof NotStarted)
}

/**
 * Makes a call that may be made twice, until a daemon answers it. A daemon that dies meanwhile is started again; for
 * one that was stopped, as by `iris restart`, it waits up to `patienceMs`. Throws the signal's reason,
 * `daemon_unreachable`, and any other error that the call throws.
 */
export async function overRestarts<T>(
  signal: AbortSignal,
  makeCall: () => Promise<T>,
  patienceMs = restartMs,
): Promise<T> {
  let goneSince: number | undefined
  let quickLosses = 0
  for (;;) {
    const askedAt = systemClock.elapsed()
    try {
      return await makeCall()
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!isLoss(error)) throw error
      const now = systemClock.elapsed()
      const hadDaemon = error instanceof Unanswered && error.wasSent
      if (hadDaemon) quickLosses = now - askedAt < quickMs ? quickLosses + 1 : 0
      if (hadDaemon || goneSince === undefined) goneSince = now
      if (quickLosses > maxQuickLosses || now - goneSince > patienceMs) throw error
    }
    await delay(lookAgainMs)
  }
}
