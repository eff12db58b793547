import type { Output } from '../../../adapters/client/tool-call.ts'
import { columns, indentedColumns } from '../../../app/cli/columns.ts'
import { durationText, momentText } from '../../../app/cli/moment.ts'
import { secondsText } from '../../../base/lib/duration.ts'
import { shownPair } from '../../../base/protocol/pair.ts'
import { percent } from '../../../features/conversations/commands/session-lines.ts'

type Stats = Output<'session_stats'>

export function statsLines(
  { since, sessions, turns, tokens, answerTimes, busiestPairs, fullestContexts }: Stats,
  width: number,
) {
  const time = (ms?: number): string => (ms === undefined ? 'unknown' : secondsText(ms))
  const ends = `${turns.failed} failed, ${turns.cancelled} cancelled, ${turns.timedOut} timed out, ${turns.inDoubt} in doubt`
  const facts = columns(width, [
    ['since', momentText(since)],
    ['conversations', `${sessions.total}: ${sessions.live} live, ${sessions.archived} archived`],
    ...(sessions.lifetime.steps.length === 0 ? [] : [['lasted', lifetimesText(sessions.lifetime.steps)]]),
    ['messages', `${turns.total}: ${turns.completed} answered, ${turns.active} open, ${ends}`],
    [
      'answer times',
      answerTimes.count === 0
        ? 'none yet'
        : `median ${time(answerTimes.p50Ms)}, 95 % within ${time(answerTimes.p95Ms)}`,
    ],
    [
      'tokens',
      `${tokens.inputTokens} in, ${tokens.outputTokens} out, ${tokens.cacheReadTokens} read from the cache, ${tokens.cacheWriteTokens} written to it`,
    ],
    ...(sessions.tokensPerSession.average === undefined
      ? []
      : [
          [
            'tokens each',
            `${Math.round(sessions.tokensPerSession.average)} per conversation on average, ${sessions.tokensPerSession.most} at most`,
          ],
        ]),
    ['cost', `$${tokens.costUsd.toFixed(4)}`],
  ])
  return [
    ...facts,
    ...titled(
      width,
      'Busiest:',
      busiestPairs.map((pair) => [shownPair(pair), String(pair.turns)]),
    ),
    ...titled(
      width,
      'Fullest:',
      fullestContexts.map((pair) => [shownPair(pair), percent(pair.share)]),
    ),
  ]
}

function lifetimesText(steps: Stats['sessions']['lifetime']['steps']): string {
  return steps
    .map(({ upToMs, sessions }) => `${sessions} ${upToMs === null ? 'longer' : `up to ${durationText(upToMs)}`}`)
    .join(', ')
}

function titled(width: number, title: string, rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...indentedColumns(width, rows)]
}
