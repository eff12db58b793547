import type { PermissionAnswer, PermissionQuestion } from '../claude/host.ts'
import type { TeamConfig } from '../config/config.ts'

type Mode = TeamConfig['grantPermission']

const refusals: Record<Exclude<Mode, 'yes'>, string> = {
  no: 'its owner does not allow tools that need a permission (grantPermission: no)',
  ask: 'nobody can be asked yet (grantPermission: ask is not answered in this version)',
  forward: 'the question cannot be forwarded yet (grantPermission: forward is not answered in this version)',
}

/** What a team's mode says to a permission question. The tool's input is never changed. */
export function decide(team: string, mode: Mode, question: PermissionQuestion): PermissionAnswer {
  if (mode === 'yes') return { behavior: 'allow', updatedInput: question.input }
  return { behavior: 'deny', message: `Team "${team}" may not use ${question.toolName}: ${refusals[mode]}.` }
}
