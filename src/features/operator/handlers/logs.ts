import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { LogEntry, RecentLog } from '../../../base/lib/recent-log.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { isAbout, logLevels, rawLine } from '../../../base/protocol/log-entry.ts'
import { type KnownParticipantsParts, knownParticipants } from '../../../kernel/call/known-participants.ts'
import type { getLogs } from '../contract/logs.ts'

/** The dependencies of these operations. */
export interface LogsParts extends KnownParticipantsParts {
  readonly clock: Clock
  readonly recentLog: RecentLog
}

type Input = z.output<typeof getLogs.input>
type Level = LogEntry['level']

const usualCount = 200

/** get_logs. Throws `unknown_team` for a name that neither the log nor Iris knows. */
export function getLog(input: Input, parts: LogsParts): z.output<typeof getLogs.output> {
  const found = logs(input, parts)
  if (found.matching === 0) knownParticipants([input.team], parts)
  return found
}

/** The newest entries that fit. */
export function logs(
  input: Input,
  { recentLog, clock }: Pick<LogsParts, 'recentLog' | 'clock'>,
): z.output<typeof getLogs.output> {
  const { storeName, format = 'parsed', limit = usualCount } = input
  const now = clock.now()
  const since = pastTime(input, now)
  const entries = recentLog.entries()
  const stores = countByStore(entries)
  if (storeName !== undefined) knownStore(storeName, stores)
  const levels = levelsOf(input.level)
  const fits = ({ timestamp, context, level }: LogEntry): boolean =>
    (since === undefined || timestamp > since) &&
    (storeName === undefined || context === storeName) &&
    levels.includes(level)
  const matching = entries.filter((entry) => fits(entry) && isAbout(input, entry))
  const shown = matching.slice(-limit)
  return {
    logs: format === 'parsed' ? shown : shown.map(rawLine),
    logCount: shown.length,
    matching: matching.length,
    ...(storeName !== undefined && { storeName }),
    ...(input.getAllStores === true && {
      availableStores: [...stores].map(([name, logCount]) => ({ storeName: name, logCount })),
    }),
    query: { ...(since !== undefined && { since }), format, level: levels },
    timestamp: now,
  }
}

function pastTime({ logs_since: logsSince, since = logsSince }: Input, now: number): number | undefined {
  if (since === undefined || since <= now) return since
  throw new IrisError(
    'invalid_input',
    `logs_since is ${since}, which is ${since - now} ms in the future.`,
    `Give a time before now (${now}), in milliseconds since the epoch.`,
  )
}

function knownStore(name: string, stores: ReadonlyMap<string, number>): void {
  if (stores.has(name)) return
  throw new IrisError(
    'invalid_input',
    `The log has no part named "${name}".`,
    `Leave storeName out, or name one of: ${[...stores.keys()].join(', ')}.`,
  )
}

function countByStore(entries: readonly LogEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { context } of entries) counts.set(context, (counts.get(context) ?? 0) + 1)
  return new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function levelsOf(level: Input['level']): Level[] {
  if (Array.isArray(level)) return level
  return level === undefined ? [...logLevels] : logLevels.slice(logLevels.indexOf(level))
}
