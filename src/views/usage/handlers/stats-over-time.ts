import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { figure, outcomeCounts } from '../../../features/conversations/handlers/session-stats.ts'
import { type KnownParticipantsParts, knownParticipants } from '../../../kernel/call/known-participants.ts'
import type { Buckets, OutcomesInBucket, StatisticsOverTime } from '../../../platform/store/statistics-over-time.ts'
import type { Sums } from '../../../platform/store/sums.ts'
import { maxBuckets, type statsOverTime } from '../contract/stats-over-time.ts'

/** The dependencies of these operations. */
export interface StatsOverTimeParts extends KnownParticipantsParts {
  readonly clock: Clock
  readonly sums: Pick<Sums, 'of'>
  readonly statisticsOverTime: Pick<StatisticsOverTime, 'first'>
}

type Input = z.output<typeof statsOverTime.input>
type Output = z.output<typeof statsOverTime.output>

const handyBuckets = 200
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const sizes = { hour: hourMs, day: dayMs, week: 7 * dayMs } as const
/** The epoch began on a Thursday, but weeks begin on a Monday. */
const firstMonday = 4 * dayMs

export async function overTime(input: Input, parts: StatsOverTimeParts): Promise<Output> {
  const { statisticsOverTime, sums, clock } = parts
  const now = clock.now()
  const { team, offsetMinutes = 0 } = input
  knownParticipants([team], parts)
  const until = Math.min(input.until ?? now, now)
  const since = input.since === 0 ? (statisticsOverTime.first ?? until) : Math.min(input.since, until)
  const bucket = input.bucket ?? handySize(until - since)
  const sizeMs = sizes[bucket]
  const shift = (bucket === 'week' ? firstMonday : 0) - offsetMinutes * 60_000
  const begin = Math.floor((since - shift) / sizeMs) * sizeMs + shift
  const length = Math.max(0, Math.ceil((until - begin) / sizeMs))
  if (length > maxBuckets) throw tooMany(length, bucket)
  const buckets: Buckets = { begin, end: begin + length * sizeMs, sizeMs, participant: team }
  const found = await sums.of('overTime', { since: begin, buckets })
  const outcomes = Map.groupBy(found.outcomes, (each) => each.bucket)
  const times = new Map(found.answerTimes.map((each) => [each.bucket, each]))
  const sessions = new Map(found.sessions.map((each) => [each.bucket, each]))
  return {
    since: begin,
    until,
    bucket,
    buckets: Array.from({ length }, (_, index) => {
      const ended = outcomes.get(index) ?? []
      const { count = 0, p50 = null, p95 = null, p99 = null } = times.get(index) ?? {}
      const { begun = 0, lastUsed = 0, averageLifetime = null } = sessions.get(index) ?? {}
      return {
        begin: begin + index * sizeMs,
        turns: outcomeCounts(new Map(ended.map(({ outcome, count }) => [outcome, count]))),
        tokens: tokensOf(ended),
        answerTimes: { count, ...figure('p50Ms', p50), ...figure('p95Ms', p95), ...figure('p99Ms', p99) },
        sessions: { begun, lastUsed, ...figure('averageLifetimeMs', averageLifetime) },
      }
    }),
    timestamp: now,
  }
}

/** The smallest bucket size that makes fewer than `handyBuckets` buckets; at most a week. */
function handySize(spanMs: number): Output['bucket'] {
  if (spanMs < handyBuckets * hourMs) return 'hour'
  return spanMs < handyBuckets * dayMs ? 'day' : 'week'
}

function tokensOf(ended: readonly OutcomesInBucket[]): Output['buckets'][number]['tokens'] {
  const sum = (field: 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'costUsd'): number =>
    ended.reduce((total, each) => total + each[field], 0)
  return {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
    costUsd: sum('costUsd'),
  }
}

function tooMany(length: number, bucket: Output['bucket']): IrisError {
  return new IrisError(
    'invalid_input',
    `That period would have ${length} buckets of one ${bucket}; the limit is ${maxBuckets}.`,
    'Ask for a shorter span, or for larger buckets (day or week).',
  )
}
