import type { Broken } from '../../base/protocol/broken.ts'
import { limitName, limitRemedy } from '../../base/protocol/limit.ts'
import type { AccountLimits } from './account-limits.ts'

/** The accounts that are over a limit. */
export function brokenAccounts(accounts: ReturnType<AccountLimits['accounts']>): Broken[] {
  return accounts.flatMap(({ teams, limited }) => {
    if (limited === undefined) return []
    const remedy = limitRemedy(limited.window)
    return [
      {
        kind: 'account' as const,
        teams: [...teams],
        until: limited.until,
        what: `The account of ${teams.join(', ')} ${limitName(limited.window)}.`,
        remedy: `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}. Messages wait, then continue by themselves.`,
      },
    ]
  })
}
