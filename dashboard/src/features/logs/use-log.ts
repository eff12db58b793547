import { useEffect, useState, useSyncExternalStore } from 'react'
import { follow } from '../../../../src/adapters/client/event-stream.ts'
import { systemClock } from '../../../../src/base/lib/clock.ts'
import { openSocket } from '../../shared/stream/socket.ts'
import { type LogLine, LogLines, type LogState } from './log-lines.ts'

interface LogFrame {
  readonly entries: readonly LogLine[]
  readonly missed: number
}

/** The log from its oldest kept line on, kept up to date while it is shown, and without gaps after lost connections. */
export function useLog(): LogState & Pick<LogLines, 'pause' | 'resume'> {
  const [log] = useState(() => new LogLines())
  useEffect(() => {
    const left = new AbortController()
    void read(log, left.signal)
    return () => left.abort()
  }, [log])
  const state = useSyncExternalStore(log.subscribe, () => log.state)
  return { ...state, pause: () => log.pause(), resume: () => log.resume() }
}

async function read(log: LogLines, signal: AbortSignal): Promise<void> {
  const open = openSocket('/api/stream?logs=debug&only=logs')
  for await (const { type, data } of follow({ open, clock: systemClock, signal })) {
    if (type !== 'log') continue
    const { entries, missed } = data as LogFrame
    log.add(entries, missed)
  }
}
