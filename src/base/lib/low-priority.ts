import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * Lets this thread have the processor only where no other thread wants it. Linux gives each thread a priority of its own;
 * elsewhere nothing changes.
 */
export function lowerPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_LOW)
  } catch {
    // A thread that keeps its priority works as well.
  }
}
