import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { allowedForms, parseAllowRule, parseRule } from '../../base/rule/rule.ts'
import { RuleMistake } from '../../base/rule/rule-mistake.ts'
import { addRule } from '../../platform/config/add-rule.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Asking } from './policy.ts'
import type { PermissionGrants } from './rows/permission-grants.ts'

/** An answer that stays in force after the question. */
export interface LastingAnswer {
  readonly scope: 'session' | 'pair' | 'always'
  readonly decision: 'allow' | 'deny'
  /** In the syntax of Claude Code. */
  readonly rule: string
  /** The question that was answered. */
  readonly permissionId: string
}

export interface RememberParts {
  readonly config: () => Config
  readonly grants: Pick<PermissionGrants, 'add'>
  readonly clock: Clock
}

/**
 * Stores an answer that stays in force: for its session or pair in the store, for `always` as a rule of the team in
 * config.yaml. Rejects with `invalid_input` for an invalid rule, and with the errors of `addRule`.
 */
export async function remember(asking: Asking, answer: LastingAnswer, parts: RememberParts): Promise<void> {
  const { scope, decision, rule, permissionId } = answer
  checkRule(rule, decision)
  const { from, to, row } = asking
  if (scope === 'always') return addRule({ file: parts.config().file, team: to, list: decision, rule })
  const session = scope === 'session' ? row.id : null
  parts.grants.add({ from, to, session, decision, rule, permission: permissionId, grantedAt: parts.clock.now() })
}

/** Throws `invalid_input` for a rule that is not valid for this decision. */
export function checkRule(rule: string, decision: LastingAnswer['decision']): void {
  try {
    if (decision === 'allow') parseAllowRule(rule)
    else parseRule(rule)
  } catch (error) {
    if (!(error instanceof RuleMistake)) throw error
    throw new IrisError('invalid_input', `The rule ${rule} ${error.message}.`, `A rule is one of: ${allowedForms}.`)
  }
}
