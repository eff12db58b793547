import type { Output } from '../../shared/api/operations.ts'
import { duration } from '../../shared/format/durations.ts'
import { compact, cost, exact } from '../../shared/format/figures.ts'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { Chart } from './chart.tsx'
import type { ChartSeries } from './plot.ts'
import { texts } from './texts.ts'

type Figures = Output<'stats_over_time'>
type Bucket = Figures['buckets'][number]

/** The same figures for each hour, day or week. */
export function Charts({ figures: { bucket, buckets, until } }: { readonly figures: Figures }) {
  const begins = buckets.map(({ begin }) => begin)
  const sizeMs = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 }[bucket]
  const around = { bucket, begins, end: (begins.at(-1) ?? until) + sizeMs }
  const of = (name: string, color: string, value: (bucket: Bucket) => number | null): ChartSeries => ({
    name,
    color,
    values: buckets.map(value),
  })
  return (
    <div className="grid gap-3 xl:grid-cols-2">
      <InTurn>
        <Chart
          {...{ ...around, title: texts.messages, isStacked: true, format: exact }}
          series={[
            of(texts.series.completed, 'good', ({ turns }) => turns.completed),
            of(texts.series.failed, 'bad', ({ turns }) => turns.failed),
            of(texts.series.timedOut, 'warn', ({ turns }) => turns.timedOut),
            of(texts.series.cancelled, 'muted', ({ turns }) => turns.cancelled),
            of(texts.series.inDoubt, 'accent', ({ turns }) => turns.inDoubt),
            of(texts.series.notEnded, 'busy', ({ turns }) => turns.active),
          ]}
        />
      </InTurn>
      <InTurn>
        <Chart
          {...{ ...around, title: texts.answerTime, isStacked: false, format: duration }}
          series={[
            of('p50', 'accent', ({ answerTimes }) => answerTimes.p50Ms ?? null),
            of('p95', 'warn', ({ answerTimes }) => answerTimes.p95Ms ?? null),
            of('p99', 'bad', ({ answerTimes }) => answerTimes.p99Ms ?? null),
          ]}
        />
      </InTurn>
      <InTurn>
        <Chart
          {...{ ...around, title: texts.withoutAnAnswer, isStacked: true, format: exact }}
          series={[
            of(texts.series.failed, 'bad', ({ turns }) => turns.failed),
            of(texts.series.timedOut, 'warn', ({ turns }) => turns.timedOut),
            of(texts.series.inDoubt, 'accent', ({ turns }) => turns.inDoubt),
          ]}
        />
      </InTurn>
      <InTurn>
        <Chart
          {...{ ...around, title: texts.tokens, isStacked: true, format: compact }}
          series={[
            of(texts.series.cacheRead, 'good', ({ tokens }) => tokens.cacheReadTokens),
            of(texts.series.cacheWritten, 'warn', ({ tokens }) => tokens.cacheWriteTokens),
            of(texts.series.uncachedInput, 'busy', ({ tokens }) => tokens.inputTokens),
            of(texts.series.output, 'accent', ({ tokens }) => tokens.outputTokens),
          ]}
        />
      </InTurn>
      <InTurn>
        <Chart
          {...{ ...around, title: texts.cost, isStacked: true, format: cost }}
          series={[of(texts.series.dollars, 'accent', ({ tokens }) => tokens.costUsd)]}
        />
      </InTurn>
      <InTurn>
        <Chart
          {...{ ...around, title: texts.conversations, isStacked: false, format: exact }}
          series={[
            of(texts.series.begun, 'accent', ({ sessions }) => sessions.begun),
            of(texts.series.lastUsed, 'busy', ({ sessions }) => sessions.lastUsed),
          ]}
        />
      </InTurn>
      <InTurn>
        <Chart
          {...{ ...around, title: texts.lifetime, isStacked: false, format: duration }}
          series={[of(texts.series.averageLifetime, 'good', ({ sessions }) => sessions.averageLifetimeMs ?? null)]}
        />
      </InTurn>
    </div>
  )
}
