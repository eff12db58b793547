import type { ReactNode } from 'react'
import type { Output } from '../../shared/api/operations.ts'
import { compact, cost, decimal, duration, exact, percent } from '../../shared/format/figures.ts'
import { texts } from './texts.ts'

type Stats = Output<'session_stats'>

/** The sums over all of the time that was chosen. */
export function Totals({ stats: { turns, tokens, answerTimes, sessions } }: { readonly stats: Stats }) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = tokens
  const read = inputTokens + cacheReadTokens + cacheWriteTokens
  return (
    <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <Card title={texts.messages} figure={exact(turns.total)}>
        <Line name={texts.series.completed} value={exact(turns.completed)} />
        <Line name={texts.series.failed} value={exact(turns.failed)} />
        <Line name={texts.series.cancelled} value={exact(turns.cancelled)} />
        <Line name={texts.series.timedOut} value={exact(turns.timedOut)} />
        <Line name={texts.series.inDoubt} value={exact(turns.inDoubt)} />
        <Line name={texts.series.notEnded} value={exact(turns.active)} />
      </Card>
      <Card title={texts.tokensAndCost} figure={cost(costUsd)}>
        <Line name={texts.series.cacheRead} value={compact(cacheReadTokens)} />
        <Line name={texts.series.cacheWritten} value={compact(cacheWriteTokens)} />
        <Line name={texts.series.readBesides} value={compact(inputTokens)} />
        <Line name={texts.series.written} value={compact(outputTokens)} />
        {read > 0 && <Line name={texts.totals.cachedShare} value={percent(cacheReadTokens / read)} />}
      </Card>
      <Card title={texts.answerTime} figure={timeOf(answerTimes.p50Ms)}>
        <Line name="p50" value={timeOf(answerTimes.p50Ms)} />
        <Line name="p95" value={timeOf(answerTimes.p95Ms)} />
        <Line name="p99" value={timeOf(answerTimes.p99Ms)} />
        <Line name={texts.totals.answers} value={exact(answerTimes.count)} />
      </Card>
      <Card title={texts.conversations} figure={exact(sessions.total)}>
        <Line name={texts.totals.live} value={exact(sessions.live)} />
        <Line name={texts.totals.archived} value={exact(sessions.archived)} />
        <Line name={texts.totals.messagesEach} value={decimal(sessions.messagesPerSession.average ?? 0)} />
        <Line name={texts.totals.mostMessages} value={exact(sessions.messagesPerSession.most ?? 0)} />
        <Line name={texts.totals.averageLifetime} value={duration(sessions.lifetime.averageMs ?? 0)} />
        <Line name={texts.totals.longestLifetime} value={duration(sessions.lifetime.longestMs ?? 0)} />
      </Card>
    </div>
  )
}

function timeOf(ms: number | undefined): string {
  return ms === undefined ? '–' : duration(ms)
}

interface CardProps {
  readonly title: string
  readonly figure: string
  readonly children: ReactNode
}

function Card({ title, figure, children }: CardProps) {
  return (
    <section className="border-line bg-panel rounded-lg border p-4" aria-label={title}>
      <h2 className="text-muted">{title}</h2>
      <p className="text-2xl font-semibold tabular-nums">{figure}</p>
      <dl className="mt-2 flex flex-col gap-1">{children}</dl>
    </section>
  )
}

function Line({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="text-muted">{name}</dt>
      <dd className="tabular-nums whitespace-nowrap">{value}</dd>
    </div>
  )
}
