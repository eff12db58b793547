import type { z } from 'zod'
import type { getUsage } from '../../base/protocol/operations/usage.ts'
import type { Domain } from './call.ts'

const weekMs = 7 * 86_400_000

/** get_usage: the limits of accounts, and what each pair used. */
export function usage(
  input: z.output<typeof getUsage.input>,
  { accountLimits, usageRows, clock }: Pick<Domain, 'accountLimits' | 'usageRows' | 'clock'>,
): z.output<typeof getUsage.output> {
  const timestamp = clock.now()
  const since = input.since ?? timestamp - weekMs
  const accounts = accountLimits.accounts().map(({ teams, seenAt, windows, limited }) => ({
    ...{ teams: [...teams], seenAt, windows: windows.map((window) => ({ ...window })) },
    ...(limited && { limitedUntil: limited.until, limitedBy: limited.window }),
  }))
  return { accounts, since, pairs: usageRows.pairs(since), timestamp }
}
