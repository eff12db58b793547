import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Usage } from '../../../base/protocol/turn.ts'
import type { AccountLimits } from '../../../features/accounts/account-limits.ts'
import type { ClusterView } from '../../../features/cluster/view.ts'
import { limitOf } from '../../../features/teams/handlers/teams.ts'
import type { Turns } from '../../../kernel/accept/turn-handle.ts'
import type { Sums } from '../../../platform/store/sums.ts'
import type { UsageRows } from '../../../platform/store/usage-rows.ts'
import type { getUsage } from '../contract/usage.ts'

/** The dependencies of these operations. */
export interface UsageParts {
  readonly clock: Clock
  /** Turns by their ids. */
  readonly turns: Turns
  readonly accountLimits: Pick<AccountLimits, 'of' | 'accounts' | 'holds' | 'news$'>
  /** Hosts with their own Iris. */
  readonly cluster: ClusterView
  readonly sums: Pick<Sums, 'of'>
  readonly usageRows: Pick<UsageRows, 'unsettled'>
}

const weekMs = 7 * 86_400_000

/** get_usage: the limits of accounts, and what each pair used. */
export async function readUsage(
  input: z.output<typeof getUsage.input>,
  parts: Pick<UsageParts, 'accountLimits' | 'usageRows' | 'sums' | 'clock' | 'cluster' | 'turns'>,
): Promise<z.output<typeof getUsage.output>> {
  const { accountLimits, clock, cluster } = parts
  const timestamp = clock.now()
  const since = input.since ?? timestamp - weekMs
  const own = accountLimits.accounts().map(({ teams, seenAt, windows, limited }) => ({
    teams: [...teams],
    seenAt,
    windows: windows.map((window) => ({ ...window })),
    ...(limited && { limitedUntil: limited.until, limitedBy: limited.window }),
  }))
  // Another host reports only which of its teams are waiting, and until when.
  const others = cluster.hosts.teams().flatMap(({ fullName, host }) => {
    const limit = limitOf(fullName, { seams: { accounts: accountLimits } })
    return limit.limitedUntil === undefined ? [] : [{ teams: [fullName], seenAt: host.seenAt, windows: [], ...limit }]
  })
  return { accounts: [...own, ...others], since, pairs: await pairsWithRunning(since, parts), timestamp }
}

/**
 * Each pair's usage, including the tokens that running turns have used so far. Their cost is known only when they end.
 */
async function pairsWithRunning(
  since: number,
  { usageRows, sums, turns }: Pick<UsageParts, 'usageRows' | 'sums' | 'turns'>,
) {
  const running = [...(await turns.living(usageRows.unsettled(since))).values()]
  return (await sums.of('pairs', { since })).map((row) => {
    const own = running.filter(({ pair, end }) => end === undefined && pair.from === row.from && pair.to === row.to)
    const sum = (count: (usage: Usage) => number): number =>
      own.reduce((total, { usageSoFar }) => total + count(usageSoFar), 0)
    return {
      ...row,
      inputTokens: row.inputTokens + sum((of) => of.inputTokens + of.cacheReadTokens + of.cacheWriteTokens),
      outputTokens: row.outputTokens + sum((of) => of.outputTokens),
    }
  })
}
