import type { PermissionView } from '../protocol/operations/permissions.ts'
import type { PermissionRow } from '../store/permissions.ts'
import type { Policy } from './policy.ts'
import { risksOf } from './risks.ts'
import { shownInput } from './shown-input.ts'

/** A question as people are shown it; rules are offered as long as it can be answered. */
export function questionView(row: PermissionRow, policy: Pick<Policy, 'exactRule' | 'suggestedRules'>): PermissionView {
  const { id, to, turn, session, processStart, toolUseId, suggestions, ...same } = row
  const isPending = row.state === 'pending'
  return {
    ...same,
    permissionId: id,
    team: to,
    turnId: turn,
    chain: [...row.chain],
    shown: shownInput(row.input),
    risks: risksOf(row.input, row.directory),
    rule: isPending ? policy.exactRule(askingOf(row), row) : null,
    suggestions: isPending ? policy.suggestedRules(suggestions) : [],
  }
}

/** As policy and grants know who asks. */
export function askingOf({ from, to, session }: PermissionRow) {
  return { from, to, row: { id: session } }
}
