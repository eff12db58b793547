import { AccountLimits, type AccountLimitsParts } from '../../features/accounts/account-limits.ts'
import { AccountRows } from '../../features/accounts/rows.ts'
import { GrantedRules } from '../../features/permission/granted-rules.ts'
import { Policy } from '../../features/permission/policy.ts'
import type { QuestionsParts } from '../../features/permission/question.ts'
import { Questions } from '../../features/permission/questions.ts'
import { PermissionGrants } from '../../features/permission/rows/permission-grants.ts'
import { PermissionRows } from '../../features/permission/rows/permissions.ts'
import { CallLimit } from '../../kernel/call/call-limit.ts'
import { Refusals } from '../../kernel/call/refusals.ts'
import { LoginUses } from '../../kernel/pool/login-uses.ts'
import type { Store } from '../../platform/store/store.ts'
import type { ReadingPlaces } from './reading-places.ts'

/** Composes tool policy, questions to people, limits of accounts and calls, the audit of refusals. */
export function composeLimits(
  store: Store,
  around: Omit<QuestionsParts, 'rows' | 'grants' | 'policy'> & Pick<AccountLimitsParts, 'elsewhere'>,
  places: ReadingPlaces,
) {
  const { config, clock, audit, log, publish, elsewhere } = around
  const grants = new PermissionGrants(store)
  const policy = new Policy({ config, grants, ...places })
  const rows = new PermissionRows(store)
  const loginUses = new LoginUses()
  const accountLimits = new AccountLimits({
    config,
    clock,
    publish,
    elsewhere,
    loginUses,
    log: log.for('limits'),
    rows: new AccountRows(store),
  })
  return {
    policy,
    accountLimits,
    uses: { loginUses, loginRefusedAt: (team: string) => accountLimits.refusedAt(team) },
    questions: new Questions({ ...around, log: log.for('permission'), grants, policy, rows }),
    grantedRules: new GrantedRules({ config, grants, onGrant: around.onGrant }),
    refusals: new Refusals({ audit, clock, log: log.for('audit') }),
    callLimit: new CallLimit({ clock, perMinute: () => config().settings.callsPerMinute }),
  }
}
