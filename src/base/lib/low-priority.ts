import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * Lets this thread run only when no other thread needs the processor. Only Linux has a priority per thread; on other
 * systems this has no effect.
 */
export function lowerPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_LOW)
  } catch {
    // If this fails, the thread keeps its usual priority, which also works.
  }
}
