import type { TeamConfig } from '../config/config.ts'
import { allowedBy } from '../rule/covers.ts'
import { deniedBy } from '../rule/denies.ts'
import type { Rule } from '../rule/rule.ts'
import type { Place, ToolUse } from '../rule/tool-use.ts'
import { notAllowed, refusal } from './refusal.ts'

export interface Rules {
  readonly allow: readonly Rule[]
  readonly deny: readonly Rule[]
}

export interface PermissionFacts {
  readonly team: string
  readonly mode: TeamConfig['grantPermission']
  /** Of the configuration, for the team and for who asks it. */
  readonly rules: Rules
  /** Of people's answers that hold on. */
  readonly grants: Rules
  readonly use: ToolUse
  readonly place: Place
}

/** `ask` and `forward` leave it to a person: one who looks at Iris, or one at the end of a webhook. */
export interface Verdict {
  readonly decision: 'allow' | 'deny' | 'ask' | 'forward'
  /** What decided: rules of the configuration or of answers, or the team's `grantPermission`. */
  readonly by: 'rule' | 'mode'
  /** One sentence, also for the agent. */
  readonly why: string
}

/** Whether a tool may run: a rule that denies, rules that allow, then the team's mode. Pure but for links in paths. */
export function judge({ team, mode, rules, grants, use, place }: PermissionFacts): Verdict {
  const denying = deniedBy([...rules.deny, ...grants.deny], use, place)
  if (denying) {
    const whose = rules.deny.includes(denying) ? 'its permissions in config.yaml' : 'an earlier answer'
    const why = refusal(team, use.toolName, `the rule ${denying.text} of ${whose} denies it`)
    return { decision: 'deny', by: 'rule', why }
  }
  const allowing = allowedBy([...rules.allow, ...grants.allow], use, place)
  if (allowing) {
    return { decision: 'allow', by: 'rule', why: `Allowed by ${allowing.map(({ text }) => text).join(', ')}.` }
  }
  return byMode(team, mode, use)
}

function byMode(team: string, mode: PermissionFacts['mode'], use: ToolUse): Verdict {
  switch (mode) {
    case 'yes':
      return { decision: 'allow', by: 'mode', why: `Team "${team}" may use every tool (grantPermission: yes).` }
    case 'no':
      return { decision: 'deny', by: 'mode', why: notAllowed(team, use.toolName) }
    case 'ask':
    case 'forward': {
      const why = `No rule covers this use of ${use.toolName}, so that a person decides (grantPermission: ${mode}).`
      return { decision: mode, by: 'mode', why }
    }
  }
}
