import { type Clock, every } from '../../base/lib/clock.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Pool } from './pool.ts'

/** How long an idle process gets to answer; a living one does within 50 ms. */
const longestPatienceMs = 10_000

interface HealthCheckParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly publish: (event: IrisEvent) => void
}

/**
 * Looks after the idle processes; busy ones are watched by whoever waits for their answer. They are asked twice in each
 * `intervalMs`, so that one that hangs is found within it. Returns the function that ends it.
 */
export function checkHealth({ pool, clock, publish }: HealthCheckParts, intervalMs: number): () => void {
  const roundMs = intervalMs / 2
  let ended = 0
  const endRounds = every(clock, roundMs, () => {
    void pool.endHung(Math.min(longestPatienceMs, roundMs)).then((count) => {
      ended += count
    })
  })
  const endReports = every(clock, intervalMs, () => {
    const { size, maxProcesses } = pool
    publish({ type: 'health-check', status: { activeProcesses: size, maxProcesses, ended } })
    ended = 0
  })
  return () => {
    endRounds()
    endReports()
  }
}
