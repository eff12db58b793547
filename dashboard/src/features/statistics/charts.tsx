import type { Output } from '../../shared/api/operations.ts'
import { compact, cost, duration, exact } from '../../shared/format/figures.ts'
import { Chart } from './chart.tsx'
import type { ChartSeries } from './plot.ts'

type Figures = Output<'stats_over_time'>
type Bucket = Figures['buckets'][number]

/** The same figures for each hour, day or week. */
export function Charts({ figures: { bucket, buckets, until } }: { readonly figures: Figures }) {
  const begins = buckets.map(({ begin }) => begin)
  const sizeMs = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 }[bucket]
  const around = { bucket, begins, end: (begins.at(-1) ?? until) + sizeMs }
  const of = (name: string, color: string, value: (bucket: Bucket) => number | null): ChartSeries => ({
    ...{ name, color, values: buckets.map(value) },
  })
  return (
    <div className="grid gap-3 xl:grid-cols-2">
      <Chart
        {...{ ...around, title: 'Messages', isStacked: true, format: exact }}
        series={[
          of('Completed', 'good', ({ turns }) => turns.completed),
          of('Failed', 'bad', ({ turns }) => turns.failed),
          of('Timed out', 'warn', ({ turns }) => turns.timedOut),
          of('Cancelled', 'muted', ({ turns }) => turns.cancelled),
          of('In doubt', 'accent', ({ turns }) => turns.inDoubt),
          of('Not ended', 'busy', ({ turns }) => turns.active),
        ]}
      />
      <Chart
        {...{ ...around, title: 'Answer time', isStacked: false, format: duration }}
        series={[
          of('p50', 'accent', ({ answerTimes }) => answerTimes.p50Ms ?? null),
          of('p95', 'warn', ({ answerTimes }) => answerTimes.p95Ms ?? null),
          of('p99', 'bad', ({ answerTimes }) => answerTimes.p99Ms ?? null),
        ]}
      />
      <Chart
        {...{ ...around, title: 'Messages without an answer', isStacked: true, format: exact }}
        series={[
          of('Failed', 'bad', ({ turns }) => turns.failed),
          of('Timed out', 'warn', ({ turns }) => turns.timedOut),
          of('In doubt', 'accent', ({ turns }) => turns.inDoubt),
        ]}
      />
      <Chart
        {...{ ...around, title: 'Tokens', isStacked: true, format: compact }}
        series={[
          of('Read from the cache', 'good', ({ tokens }) => tokens.cacheReadTokens),
          of('Written to the cache', 'warn', ({ tokens }) => tokens.cacheWriteTokens),
          of('Read besides', 'busy', ({ tokens }) => tokens.inputTokens),
          of('Written by Claude', 'accent', ({ tokens }) => tokens.outputTokens),
        ]}
      />
      <Chart
        {...{ ...around, title: 'Cost', isStacked: true, format: cost }}
        series={[of('US dollars', 'accent', ({ tokens }) => tokens.costUsd)]}
      />
      <Chart
        {...{ ...around, title: 'Conversations', isStacked: false, format: exact }}
        series={[
          of('Begun', 'accent', ({ sessions }) => sessions.begun),
          of('Last used', 'busy', ({ sessions }) => sessions.lastUsed),
        ]}
      />
      <Chart
        {...{ ...around, title: 'Lifetime of conversations', isStacked: false, format: duration }}
        series={[of('Average of those last used then', 'good', ({ sessions }) => sessions.averageLifetimeMs ?? null)]}
      />
    </div>
  )
}
