import type { z } from 'zod'
import type { getUsage } from '../../base/protocol/operations/usage.ts'
import type { Domain } from './call.ts'
import { limitOf } from './teams.ts'

const weekMs = 7 * 86_400_000

/** get_usage: the limits of accounts, and what each pair used. */
export function usage(
  input: z.output<typeof getUsage.input>,
  { accountLimits, usageRows, clock, cluster }: Pick<Domain, 'accountLimits' | 'usageRows' | 'clock' | 'cluster'>,
): z.output<typeof getUsage.output> {
  const timestamp = clock.now()
  const since = input.since ?? timestamp - weekMs
  const own = accountLimits.accounts().map(({ teams, seenAt, windows, limited }) => ({
    ...{ teams: [...teams], seenAt, windows: windows.map((window) => ({ ...window })) },
    ...(limited && { limitedUntil: limited.until, limitedBy: limited.window }),
  }))
  // Another host says only which of its teams wait, and until when.
  const others = cluster.hosts.teams().flatMap(({ fullName, host }) => {
    const limit = limitOf(fullName, accountLimits)
    return limit.limitedUntil === undefined ? [] : [{ teams: [fullName], seenAt: host.seenAt, windows: [], ...limit }]
  })
  return { accounts: [...own, ...others], since, pairs: usageRows.pairs(since), timestamp }
}
