import { type Clock, outlasts, pause } from '../../../base/lib/clock.ts'
import type { LogEntry, RecentLog } from '../../../base/lib/recent-log.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { logLevels } from '../../../base/protocol/log-entry.ts'
import { type Batch, beat, beatMs } from './frame.ts'

export interface LogReaderParts {
  readonly ring: RecentLog
  readonly clock: Clock
  /** Identifies this start of the daemon. The numbers of another start mean nothing here. */
  readonly epoch: string
  readonly levels: ReadonlySet<LogEntry['level']>
  /** Whether frames have an id, after which a reader can resume. */
  readonly hasIds: boolean
}

const maxEntries = 2000
const frameEveryMs = 100

/**
 * Yields the log for one reader: the kept entries after `after`, then new entries, in at most ten frames a second.
 * Reads the ring directly, so that a flood of log entries does not displace events. A reader that is too slow gets the
 * number of entries that it missed.
 */
export async function* readLog(
  { ring, clock, epoch, levels, hasIds }: LogReaderParts,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  let last = after ?? ring.first - 1
  while (!signal.aborted) {
    const arrival = ring.arrival()
    const entries = ring.after(last, maxEntries)
    if (entries.length === 0) {
      if (await outlasts(clock, beatMs, arrival, signal)) yield beat
      continue
    }
    const missed = entries[0]!.number - last - 1
    last = entries.at(-1)!.number
    const fitting = entries.filter(({ level }) => levels.has(level))
    if (fitting.length > 0 || missed > 0) {
      const json = JSON.stringify({ entries: fitting, missed })
      yield [{ ...(hasIds && { id: `${epoch}-${last}` }), type: 'log', json }]
    }
    await pause(clock, frameEveryMs, signal)
  }
}

/** Merges two readers. When one of them ends, both end. `end` makes them stop waiting. */
export async function* together(
  first: AsyncGenerator<Batch, void>,
  second: AsyncGenerator<Batch, void>,
  end: () => void,
): AsyncGenerator<Batch, void> {
  const next = async (of: AsyncGenerator<Batch, void>) => ({ of, result: await of.next() })
  const pending = new Map([first, second].map((of) => [of, next(of)]))
  try {
    while (pending.size > 0) {
      const { of, result } = await Promise.race(pending.values())
      if (result.done === true) return
      pending.set(of, next(of))
      yield result.value
    }
  } finally {
    end()
    await Promise.all([first.return(), second.return()])
  }
}

/**
 * The levels that `?logs=warn` selects: this level and the more severe ones. Undefined without `logs`. Throws
 * `invalid_input`.
 */
export function logLevelsOf(least: string | undefined): ReadonlySet<LogEntry['level']> | undefined {
  if (least === undefined) return undefined
  const rank = logLevels.findIndex((level) => level === least)
  if (rank >= 0) return new Set(logLevels.slice(rank))
  const remedy = `Use one of ${logLevels.join(', ')}: that level and above.`
  throw new IrisError('invalid_input', `There is no log level "${least}".`, remedy)
}
