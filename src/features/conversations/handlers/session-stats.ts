import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Outcome } from '../../../base/protocol/turn.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type KnownParticipantsParts, knownParticipants } from '../../../kernel/call/known-participants.ts'
import { isNamed, listedTeams } from '../../../kernel/call/policy.ts'
import type { Sums } from '../../../platform/store/sums.ts'
import type { sessionStats } from '../contract/session-list.ts'

/** The dependencies of these operations. */
export interface SessionStatsParts extends KnownParticipantsParts {
  readonly clock: Clock
  readonly sums: Pick<Sums, 'of'>
}

type Input = z.output<typeof sessionStats.input>
type Output = z.output<typeof sessionStats.output>

const usualSpanMs = 30 * 24 * 3_600_000

export async function stats(input: Input, { auth }: Call, parts: SessionStatsParts): Promise<Output> {
  const { sums, clock } = parts
  const { team, from, to, thread } = input
  if (!isNamed(auth.principal)) knownParticipants([team, from, to], parts)
  const now = clock.now()
  const since = input.since ?? now - usualSpanMs
  const own = listedTeams(auth.principal)
  const filter = { participants: team === undefined ? own : [...own, team], from, to, thread, since }
  const found = await sums.of('sessions', { since, filter })
  const { total, live, averageMessages, mostMessages, averageLifetime, longestLifetime } = found.sessions
  const { average, most } = found.tokensPerSession
  const { count, p50, p95, p99 } = found.answerTimes
  return {
    since,
    sessions: {
      total,
      live,
      archived: total - live,
      messagesPerSession: { ...figure('average', averageMessages), ...figure('most', mostMessages) },
      tokensPerSession: { ...figure('average', average), ...figure('most', most) },
      lifetime: {
        ...figure('averageMs', averageLifetime),
        ...figure('longestMs', longestLifetime),
        steps: found.lifetimes.map((step) => ({ ...step })),
      },
    },
    turns: outcomeCounts(found.outcomes),
    tokens: found.tokens,
    answerTimes: { count, ...figure('p50Ms', p50), ...figure('p95Ms', p95), ...figure('p99Ms', p99) },
    busiestPairs: found.busiestPairs,
    fullestContexts: found.fullest.map((share) => ({ ...share, share: share.contextTokens / share.contextWindow })),
    timestamp: now,
  }
}

/** Omits the field if SQLite found nothing to count. */
export function figure<Name extends string>(name: Name, value: number | null): { [Key in Name]?: number } {
  return value === null ? {} : ({ [name]: value } as { [Key in Name]: number })
}

/** Number of turns by outcome. Turns that have not ended are active. */
export function outcomeCounts(counts: ReadonlyMap<Outcome | null, number>): Output['turns'] {
  const of = (outcome: Outcome | null): number => counts.get(outcome) ?? 0
  return {
    total: [...counts.values()].reduce((sum, count) => sum + count, 0),
    active: of(null),
    completed: of('completed'),
    failed: of('failed'),
    cancelled: of('cancelled'),
    timedOut: of('timed_out'),
    inDoubt: of('in_doubt'),
  }
}
