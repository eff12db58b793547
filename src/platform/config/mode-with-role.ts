import type { Role, TeamConfig } from './config.ts'
import { isNarrowed } from './roles.ts'

type Mode = TeamConfig['grantPermission']

/** The permission mode of a turn with this role: the role can narrow the team's mode but never widen it. */
export function modeWith(role: Role | undefined, mode: Mode): Mode {
  if (role === undefined || role.permission === 'team' || mode === 'no') return mode
  if (role.permission === 'no') return 'no'
  return mode === 'yes' ? 'ask' : mode
}

/**
 * Whether Claude Code may run the commands in the text of skills. It runs them when the agent uses the skill, and
 * neither calls a hook nor asks first; only deny rules apply.
 */
export function runsSkillCommands(role: Role | undefined, mode: Mode): boolean {
  return modeWith(role, mode) !== 'no' && !(role !== undefined && isNarrowed(role))
}
