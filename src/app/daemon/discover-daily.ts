import { type Clock, every } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Discovered, IrisEvent } from '../../base/protocol/event.ts'

export interface DiscoverParts {
  /** Undefined: there was nothing to look through. */
  readonly discover: (signal: AbortSignal) => Promise<Discovered | undefined>
  readonly publish: (event: IrisEvent) => void
  readonly clock: Clock
  readonly log: Log
}

const dayMs = 86_400_000

/**
 * Looks through what is on disk once `ready`, and every day from then on. `first` resolves when that has been done, or
 * has failed; `stop` gives up what is under way.
 */
export function discoverDaily({ discover, publish, clock, log }: DiscoverParts, ready: Promise<void>) {
  const leaving = new AbortController()
  const look = async (): Promise<void> => {
    if (leaving.signal.aborted) return
    try {
      const counts = await discover(leaving.signal)
      if (counts !== undefined) publish({ type: 'sessions-discovered', ...counts })
    } catch (error) {
      if (!leaving.signal.aborted) log.error(`the conversations on disk were not looked through: ${String(error)}`)
    }
  }
  const first = ready.then(look)
  let last = first
  const endDays = every(clock, dayMs, () => {
    last = last.then(look)
  })
  const stop = (): Promise<void> => {
    endDays()
    leaving.abort()
    return last
  }
  return { first, stop }
}
