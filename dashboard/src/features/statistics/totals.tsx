import type { Output } from '../../shared/api/operations.ts'
import { duration } from '../../shared/format/durations.ts'
import { compact, cost, decimal, exact, percent } from '../../shared/format/figures.ts'
import { FigureCard, FigureLine } from '../../shared/ui/figure-card.tsx'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { texts } from './texts.ts'

type Stats = Output<'session_stats'>

/** The sums over the whole chosen time. */
export function Totals({ stats: { turns, tokens, answerTimes, sessions } }: { readonly stats: Stats }) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = tokens
  const read = inputTokens + cacheReadTokens + cacheWriteTokens
  return (
    <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <InTurn>
        <FigureCard title={texts.messages} figure={exact(turns.total)}>
          <FigureLine name={texts.series.completed} value={exact(turns.completed)} />
          <FigureLine name={texts.series.failed} value={exact(turns.failed)} />
          <FigureLine name={texts.series.cancelled} value={exact(turns.cancelled)} />
          <FigureLine name={texts.series.timedOut} value={exact(turns.timedOut)} />
          <FigureLine name={texts.series.inDoubt} value={exact(turns.inDoubt)} />
          <FigureLine name={texts.series.notEnded} value={exact(turns.active)} />
        </FigureCard>
      </InTurn>
      <InTurn>
        <FigureCard title={texts.tokensAndCost} figure={cost(costUsd)}>
          <FigureLine name={texts.series.cacheRead} value={compact(cacheReadTokens)} />
          <FigureLine name={texts.series.cacheWritten} value={compact(cacheWriteTokens)} />
          <FigureLine name={texts.series.uncachedInput} value={compact(inputTokens)} />
          <FigureLine name={texts.series.output} value={compact(outputTokens)} />
          {read > 0 && <FigureLine name={texts.totals.cacheHitRate} value={percent(cacheReadTokens / read)} />}
        </FigureCard>
      </InTurn>
      <InTurn>
        <FigureCard title={texts.answerTime} figure={timeOf(answerTimes.p50Ms)}>
          <FigureLine name="p50" value={timeOf(answerTimes.p50Ms)} />
          <FigureLine name="p95" value={timeOf(answerTimes.p95Ms)} />
          <FigureLine name="p99" value={timeOf(answerTimes.p99Ms)} />
          <FigureLine name={texts.totals.answers} value={exact(answerTimes.count)} />
        </FigureCard>
      </InTurn>
      <InTurn>
        <FigureCard title={texts.conversations} figure={exact(sessions.total)}>
          <FigureLine name={texts.totals.live} value={exact(sessions.live)} />
          <FigureLine name={texts.totals.archived} value={exact(sessions.archived)} />
          <FigureLine name={texts.totals.messagesEach} value={decimal(sessions.messagesPerSession.average ?? 0)} />
          <FigureLine name={texts.totals.mostMessages} value={exact(sessions.messagesPerSession.most ?? 0)} />
          <FigureLine name={texts.totals.averageLifetime} value={duration(sessions.lifetime.averageMs ?? 0)} />
          <FigureLine name={texts.totals.longestLifetime} value={duration(sessions.lifetime.longestMs ?? 0)} />
          <FigureLine name={texts.totals.tokensEach} value={compact(sessions.tokensPerSession.average ?? 0)} />
          <FigureLine name={texts.totals.mostTokens} value={compact(sessions.tokensPerSession.most ?? 0)} />
        </FigureCard>
      </InTurn>
      <InTurn>
        <FigureCard title={texts.lifetime} note={texts.fromFirstToLastUse}>
          {sessions.lifetime.steps.map(({ upToMs, sessions: count }, at, steps) => (
            <FigureLine
              key={upToMs ?? 'longer'}
              name={
                upToMs === null ? texts.longerThan(duration(steps[at - 1]?.upToMs ?? 0)) : texts.upTo(duration(upToMs))
              }
              value={exact(count)}
            />
          ))}
        </FigureCard>
      </InTurn>
    </div>
  )
}

function timeOf(ms: number | undefined): string {
  return ms === undefined ? '–' : duration(ms)
}
