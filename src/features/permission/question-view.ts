import type { PermissionView } from '../../base/protocol/permission-view.ts'
import type { Policy } from './policy.ts'
import { risksOf } from './risks.ts'
import type { PermissionRow } from './rows/permissions.ts'
import { shownInput } from './shown-input.ts'

/** The turn from outside that led to a turn. */
export type RootOf = (turnId: string) => string

/** A question as people see it; it offers rules as long as it can be answered. */
export function questionView(
  row: PermissionRow,
  policy: Pick<Policy, 'allowableRule' | 'suggestedRules'>,
  rootOf: RootOf,
): PermissionView {
  const isPending = row.state === 'pending'
  const { from, sessionId, state, toolName, input, updatedInput, inputHash, directory, blockedPath } = row
  const { askedAt, deadline, decidedBy, decidedAt, scope, message } = row
  return {
    permissionId: row.id,
    state,
    team: row.to,
    from,
    chain: [...row.chain],
    sessionId,
    turnId: row.turn,
    rootTurnId: row.turn && rootOf(row.turn),
    toolName,
    input,
    shown: shownInput(input),
    inputHash,
    updatedInput,
    directory,
    blockedPath,
    risks: [...(row.why === null ? [] : [row.why]), ...risksOf(input, directory)],
    rule: isPending ? policy.allowableRule(askingOf(row), row, blockedPath) : null,
    suggestions: isPending ? policy.suggestedRules(row.suggestions) : [],
    askedAt,
    deadline,
    decidedBy,
    decidedAt,
    scope,
    message,
  }
}

/** The asker, in the form that policy and grants take. */
export function askingOf({ from, to, thread, session }: PermissionRow) {
  return { from, to, thread, row: { id: session } }
}
