import { isCovered } from '../../base/rule/covers.ts'
import { deniedBy } from '../../base/rule/denies.ts'
import type { Rule } from '../../base/rule/rule.ts'
import type { Place, ToolUse } from '../../base/rule/tool-use.ts'
import type { Role, TeamConfig } from '../../platform/config/config.ts'
import { isHarmless } from './harmless.ts'
import { notAllowed, refusal, wouldBeAsked } from './refusal.ts'
import { refusedByRole } from './role-limits.ts'

export interface Rules {
  readonly allow: readonly Rule[]
  readonly deny: readonly Rule[]
}

export interface PermissionFacts {
  readonly team: string
  readonly mode: TeamConfig['grantPermission']
  /** From the configuration, for the team and for its asker. */
  readonly rules: Rules
  /** From people's lasting answers. */
  readonly grants: Rules
  readonly use: ToolUse
  readonly place: Place
  /** The asker's role; undefined if there is none. `mode`, `rules` and `grants` are already narrowed by it. */
  readonly role: Role | undefined
  readonly secretPlaces: readonly string[]
}

/** `ask` and `forward` leave the decision to a person: one who uses Iris, or one behind a webhook. */
export interface Verdict {
  readonly decision: 'allow' | 'deny' | 'ask' | 'forward'
  /** One sentence, which the agent also gets. */
  readonly why: string
}

/**
 * Decides about a tool that Claude Code asks about: by the role, then the deny rules, then the mode. Allow rules are
 * not consulted, because Claude Code has them and asks in spite of them. Pure, except that it follows links in paths.
 */
export function evaluatePolicy(facts: PermissionFacts): Verdict {
  const why = deniedByRule(facts)
  return why === undefined ? byMode(facts) : { decision: 'deny', why }
}

/**
 * Why a tool is refused before Claude Code judges it; undefined if Claude Code may judge it. Needed for
 * `grantPermission: no`: a person's own settings could otherwise allow what no rule of the team covers.
 */
export function refusedBeforehand(facts: PermissionFacts): string | undefined {
  const why = deniedByRule(facts)
  if (why !== undefined || facts.mode !== 'no') return why
  return mayPass(facts) ? undefined : notAllowed(facts)
}

/** Whether a tool needs no permission, or a rule that allows it covers it. */
function mayPass({ rules, grants, use, place }: PermissionFacts): boolean {
  return isHarmless(use, place) || isCovered([...rules.allow, ...grants.allow], use, place)
}

/** Why the role or a rule denies the tool, whatever the mode is; undefined if neither does. */
export function deniedByRule(facts: PermissionFacts): string | undefined {
  const { team, rules, grants, use, place } = facts
  const byRole = refusedByRole(facts)
  if (byRole !== undefined) return byRole
  const rule = deniedBy([...rules.deny, ...grants.deny], use, place)
  if (rule === undefined) return undefined
  const whose = rules.deny.includes(rule) ? 'its permissions in config.yaml' : 'an earlier answer'
  return refusal(team, use.toolName, `the rule ${rule.text} of ${whose} denies it`)
}

function byMode(facts: PermissionFacts): Verdict {
  const { team, mode, use } = facts
  switch (mode) {
    case 'yes':
      return { decision: 'allow', why: `Team "${team}" may use every tool (grantPermission: yes).` }
    case 'no':
      return { decision: 'deny', why: (mayPass(facts) ? wouldBeAsked : notAllowed)(facts) }
    case 'ask':
    case 'forward': {
      const why = `Claude Code asks about this use of ${use.toolName}, so that a person decides (grantPermission: ${mode}).`
      return { decision: mode, why }
    }
  }
}
