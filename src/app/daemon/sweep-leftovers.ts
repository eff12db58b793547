import { join } from 'node:path'
import { plainFile } from '../../base/lib/plain-file.ts'
import { isAlive } from '../../base/lib/process-alive.ts'
import { daemonFileIn } from '../../base/protocol/daemon.ts'
import { isolationPrefix } from '../../platform/machine/isolation-means.ts'
import { removeLeftovers } from '../../platform/machine/leftovers.ts'

const hourMs = 3_600_000
/** About as long as systems keep unused files in /tmp: people may want to look at what a demo has written. */
const demoMs = 10 * 24 * hourMs

/**
 * Removes the leftovers of killed programs of Iris in the directory for temporary files, and old demos; `now` in
 * milliseconds since the epoch. Leaves young files, files of other users, and demos whose daemon lives. On other
 * machines, the supervisor sweeps.
 */
export function sweepLeftovers(directory: string, now: number): void {
  removeLeftovers(directory, isolationPrefix, { now, ageMs: hourMs })
  for (const prefix of ['iris-demo-', 'iris-cluster-demo-', 'iris-probe-']) {
    removeLeftovers(directory, prefix, { now, ageMs: demoMs, isUsed: hasDaemon })
  }
}

function hasDaemon(root: string): boolean {
  try {
    const daemon = daemonFileIn(plainFile(join(root, 'iris/daemon.json')))
    return daemon !== undefined && isAlive(daemon.pid)
  } catch {
    return false
  }
}
