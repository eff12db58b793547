import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { CrowdBounds, CrowdParts } from '../../platform/callers/crowd.ts'

/** How many connections each kind of listener may have open. */
export interface ConnectionBounds {
  readonly http: CrowdBounds
  readonly homeSocket: CrowdBounds
  readonly tunnels: CrowdBounds
}

/**
 * Together, these bounds leave at least a fifth of the files that this process may open. The store, transcripts,
 * processes and the lookups of callers need those.
 */
export function connectionBounds(mostFiles: number): ConnectionBounds {
  const share = (part: number, most: number): number => Math.min(most, Math.floor(mostFiles * part))
  const [http, homeSocket, tunnels] = [share(3 / 8, 4096), share(1 / 8, 1024), share(1 / 8, 1024)]
  return {
    http: { most: http, mostOfOne: Math.floor(http / 2) },
    // The process at the other end of the home socket cannot be identified.
    homeSocket: { most: homeSocket, mostOfOne: homeSocket },
    tunnels: { most: tunnels, mostOfOne: Math.floor(tunnels / 2) },
  }
}

/** Without this pause, many connections at once would fill the log. */
const silenceMs = 60_000

/** Logs closed connections at most once a minute, with how many were closed since the last entry. */
export function closedInLog(log: Log, clock: Clock): CrowdParts<never>['onClosed'] {
  let unlogged = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return (closed, who) => {
    unlogged += closed
    if (who === undefined || clock.elapsed() - loggedAt < silenceMs) return
    log.warn(`${who} has too many connections open, so Iris closed some of them`, { closed: unlogged })
    unlogged = 0
    loggedAt = clock.elapsed()
  }
}
