import type { Log } from '../../base/lib/log.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Seams } from '../../kernel/session/seams.ts'
import type { Store } from '../../platform/store/store.ts'
import { AccountLimits, type AccountLimitsParts } from './account-limits.ts'
import { brokenAccounts } from './broken.ts'
import { AccountRows } from './rows.ts'

interface Needs extends Pick<AccountLimitsParts, 'clock' | 'config' | 'loginUses' | 'publish'> {
  readonly database: Store
  readonly log: Log
  readonly seams: Pick<Seams, 'otherHosts'>
}

/**
 * The limits of accounts of Claude Code, and logins that have run out. Messages of a team wait while its account is over
 * a limit.
 */
export const accounts = feature('accounts', ({ database, log, seams, ...parts }: Needs) => {
  const accountLimits = new AccountLimits({
    ...parts,
    elsewhere: (team, turn) => seams.otherHosts.limitOf(team, turn),
    log: log.for('limits'),
    rows: new AccountRows(database),
  })
  return {
    gives: { accountLimits },
    seams: { accounts: accountLimits },
    broken: () => brokenAccounts(accountLimits.accounts()),
  }
})
