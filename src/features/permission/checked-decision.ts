import { IrisError } from '../../base/protocol/error.ts'
import type { PermissionScope } from '../../base/protocol/permission-view.ts'
import type { Policy } from './policy.ts'
import { askingOf } from './question-view.ts'
import { checkRule, type LastingAnswer } from './remember.ts'
import type { PermissionRow } from './rows/permissions.ts'

/** A decision on a question. */
export interface Decision {
  readonly decision: 'allow' | 'deny'
  /** `owner`, or who else answered the question. */
  readonly by: string
  /** Default `once`. */
  readonly scope?: PermissionScope | undefined
  /** For a scope beyond `once`: the rule to keep instead of the exact one. */
  readonly rule?: string | undefined
  /** Replaces the input that was asked about. */
  readonly updatedInput?: Readonly<Record<string, unknown>> | undefined
  /** Sent to the agent with a denial. */
  readonly message?: string | undefined
  /** The hash of the input that the decision is about, if the caller gives it. */
  readonly inputHash?: string | undefined
}

/**
 * The rule to remember from a decision; undefined for the scope `once`. Throws `invalid_input` for a decision that
 * contradicts itself, the question or a deny rule.
 */
export function lastingAnswer(asked: PermissionRow, given: Decision, policy: Policy): LastingAnswer | undefined {
  const { decision, scope = 'once', rule, updatedInput, inputHash } = given
  const { id, toolName } = asked
  if (inputHash !== undefined && inputHash !== asked.inputHash) {
    const what = `The answer is for a different input of ${toolName} than question ${id} is about.`
    throw new IrisError('invalid_input', what, 'Read the question again (list_permissions).')
  }
  if (decision === 'deny' && updatedInput !== undefined) {
    throw new IrisError('invalid_input', 'A denial cannot have updatedInput.', 'Leave updatedInput out, or allow.')
  }
  const use = { toolName, input: updatedInput ?? asked.input }
  if (decision === 'allow') refuseDenied(asked, use, policy)
  if (scope === 'once') {
    if (rule === undefined) return undefined
    throw new IrisError(
      'invalid_input',
      'An answer with the scope "once" cannot have a rule.',
      'Leave rule out, or choose a longer scope.',
    )
  }
  const asking = askingOf(asked)
  if (decision === 'allow' && policy.isNarrowed(asking)) {
    const what = 'The question comes from a role with limited rights, and no allow rule applies to such a role.'
    throw new IrisError('invalid_input', what, 'Answer with the scope "once".')
  }
  const lasting =
    rule ?? (decision === 'deny' ? policy.exactRule(asking, use) : policy.allowableRule(asking, use, asked.blockedPath))
  if (lasting === null) {
    const what = `No rule for exactly this use of ${toolName} would keep Claude Code from asking.`
    throw new IrisError('invalid_input', what, 'Answer with the scope "once", or give the rule yourself.')
  }
  checkRule(lasting, decision)
  return { scope, decision, rule: lasting, permissionId: id }
}

/** A deny rule also overrides people's answers. It may be newer than the question, or match only the changed input. */
function refuseDenied(asked: PermissionRow, use: { toolName: string; input: unknown }, policy: Policy): void {
  const { decision, why } = policy.evaluate(askingOf(asked), use)
  if (decision === 'deny') throw new IrisError('invalid_input', why, 'Change the rule first, or deny.')
}
