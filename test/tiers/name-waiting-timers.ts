import { afterEach } from 'vitest'
import { waitingTimers } from '../support/waiting-timers.ts'

/** A test that hangs often waits for time that nobody moves: what still waits is named beside its failure. */
afterEach(({ task }) => {
  const waiting = task.result?.state === 'fail' ? waitingTimers() : []
  if (waiting.length > 0)
    process.stderr.write(`Timers that still waited in "${task.name}":\n  ${waiting.join('\n  ')}\n`)
})
