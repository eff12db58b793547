import { type Clock, every } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Discovered, IrisEvent } from '../../base/protocol/event.ts'

export interface DiscoverParts {
  /** Resolves with undefined when there was nothing to discover. */
  readonly discover: (signal: AbortSignal) => Promise<Discovered | undefined>
  readonly publish: (event: IrisEvent) => void
  readonly clock: Clock
  readonly log: Log
}

const dayMs = 86_400_000

/**
 * Runs discovery once `ready` resolves, and then every day. `first` resolves when the first run has ended or failed.
 * `stop` aborts a run and resolves when it has ended.
 */
export function discoverDaily({ discover, publish, clock, log }: DiscoverParts, ready: Promise<void>) {
  const leaving = new AbortController()
  const look = async (): Promise<void> => {
    if (leaving.signal.aborted) return
    try {
      const counts = await discover(leaving.signal)
      if (counts !== undefined) publish({ type: 'sessions-discovered', ...counts })
    } catch (error) {
      if (!leaving.signal.aborted) log.error(`the conversations on disk were not checked: ${String(error)}`)
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
