import type { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import type { listRules, revokeRule } from '../contract/rules.ts'
import type { GrantedRules } from '../granted-rules.ts'

/** The dependencies of these operations. */
export interface RulesParts {
  readonly grantedRules: GrantedRules
}

type Listed = z.output<typeof listRules.output>
type Input = z.output<typeof revokeRule.input>
type Output = z.output<typeof revokeRule.output>

export function rules({ grantedRules }: RulesParts): Listed {
  return { rules: grantedRules.list() }
}

export async function revoke({ grant, team, decision, rule }: Input, { grantedRules }: RulesParts): Promise<Output> {
  if (grant !== undefined) return { revoked: grantedRules.revokeAnswer(grant) }
  if (team === undefined || decision === undefined || rule === undefined) {
    const what = 'revoke_rule: neither grant nor team, decision and rule were given.'
    throw new IrisError('invalid_input', what, 'list_rules shows what can be revoked.')
  }
  await grantedRules.revokeRule(team, decision, rule)
  return { revoked: true }
}
