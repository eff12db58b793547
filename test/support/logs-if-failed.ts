import { onTestFailed } from 'vitest'
import type { DaemonProcess } from './daemon-process.ts'

/** Prints what daemons logged if the running test fails: add each one to the list once it runs. */
export function logsIfFailed(): DaemonProcess[] {
  const daemons: DaemonProcess[] = []
  onTestFailed(() => {
    for (const [index, { pid, log }] of daemons.entries())
      process.stderr.write(`--- daemon ${index + 1} (pid ${pid}) ---\n${log}\n`)
  })
  return daemons
}

/** Longer than all waits of a test with a crash together: each has its own deadline, and says what did not come. */
export const crashTimeout = 400_000
