import type { Clock } from '../lib/clock.ts'
import { markedProcesses, signal } from './descendants.ts'

const lookAgainMs = 20

/**
 * Ends every process that carries the marker: SIGTERM, and after `graceMs` SIGKILL. Resolves with how many there were,
 * when none is left.
 */
export async function sweep(marker: string, graceMs: number, clock: Clock): Promise<number> {
  const began = clock.elapsed()
  const found = new Set<number>()
  for (;;) {
    const pids = await markedProcesses(marker)
    if (pids.length === 0) return found.size
    const hard = clock.elapsed() - began >= graceMs
    for (const pid of pids) {
      if (hard) signal(pid, 'SIGKILL')
      else if (!found.has(pid)) signal(pid, 'SIGTERM')
      found.add(pid)
    }
    await new Promise<void>((resolve) => clock.after(lookAgainMs, resolve))
  }
}
