import type { PermissionAnswer, PermissionQuestion } from '../claude/host.ts'
import type { TeamConfig } from '../config/config.ts'

type Mode = TeamConfig['grantPermission']

/** What a team's mode says to a permission question; undefined when a person has to. The tool's input is never changed. */
export function decide(team: string, mode: Mode, question: PermissionQuestion): PermissionAnswer | undefined {
  if (mode === 'yes') return { behavior: 'allow', updatedInput: question.input }
  return mode === 'no' ? { behavior: 'deny', message: notAllowed(team, question.toolName) } : undefined
}

export function notAllowed(team: string, toolName: string): string {
  return refusal(team, toolName, 'its owner does not allow tools that need a permission (grantPermission: no)')
}

/** As the agent hears it. */
export function refusal(team: string, toolName: string, why: string): string {
  return `Team "${team}" may not use ${toolName}: ${why}.`
}
