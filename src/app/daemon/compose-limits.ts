import { CallLimit } from '../../adapters/operations/call-limit.ts'
import { Refusals } from '../../adapters/operations/refusals.ts'
import { GrantedRules } from '../../core/permission/granted-rules.ts'
import { Policy } from '../../core/permission/policy.ts'
import type { QuestionsParts } from '../../core/permission/question.ts'
import { Questions } from '../../core/permission/questions.ts'
import { AccountLimits, type AccountLimitsParts } from '../../core/pool/account-limits.ts'
import { LoginUses } from '../../core/pool/login-uses.ts'
import { AccountRows } from '../../platform/store/account-rows.ts'
import { PermissionGrants } from '../../platform/store/permission-grants.ts'
import { PermissionRows } from '../../platform/store/permissions.ts'
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
    ...{ config, clock, publish, elsewhere, loginUses, log: log.for('limits') },
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
