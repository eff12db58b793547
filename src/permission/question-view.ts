import type { PermissionView } from '../protocol/operations/permissions.ts'
import type { PermissionRow } from '../store/permissions.ts'
import { risksOf } from './risks.ts'
import { shownInput } from './shown-input.ts'

/** A question as people are shown it. */
export function questionView(row: PermissionRow): PermissionView {
  const { id, to, turn, session, processStart, toolUseId, suggestions, ...same } = row
  return {
    ...same,
    permissionId: id,
    team: to,
    turnId: turn,
    chain: [...row.chain],
    shown: shownInput(row.input),
    risks: risksOf(row.input, row.directory),
    rule: null,
    suggestions: [],
  }
}
