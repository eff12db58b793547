import { type Clock, every } from '../../base/lib/clock.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Pool } from './pool.ts'

/** How long an idle process may take to answer; a healthy one takes less than 50 ms. */
const maxPatienceMs = 10_000

interface HealthCheckParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly publish: (event: IrisEvent) => void
}

/**
 * Probes idle processes; busy processes are watched by their turns. Probes run twice per `intervalMs`, so that a hung
 * process is found within that time. Returns the function that ends the checks.
 */
export function checkHealth({ pool, clock, publish }: HealthCheckParts, intervalMs: number): () => void {
  const roundMs = intervalMs / 2
  let ended = 0
  const endRounds = every(clock, roundMs, () => {
    void pool.endHung(Math.min(maxPatienceMs, roundMs)).then((count) => {
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
