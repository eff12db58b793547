import type { Config, TeamConfig } from '../config/config.ts'
import { workingTeam } from '../config/former-teams.ts'
import { exactRule } from '../rule/exact-rule.ts'
import { isRule, parseRule } from '../rule/rule.ts'
import { suggestedRules } from '../rule/suggested-rules.ts'
import { type Place, realPathOf, type ToolUse } from '../rule/tool-use.ts'
import type { PermissionGrants } from '../store/permission-grants.ts'
import { isHarmless } from './harmless.ts'
import { judge, type Rules, type Verdict } from './judge.ts'

export interface PolicyParts {
  readonly config: () => Config
  readonly grants: Pick<PermissionGrants, 'of'>
  /** The user's home directory, absolute. */
  readonly home: string
}

/** Whose tool it is, who asked for it, and in which session. */
export interface Asking {
  readonly from: string
  readonly to: string
  readonly row: { readonly id: number }
}

/** What the configuration in force and people's lasting answers say of a tool. */
export class Policy {
  readonly #parts: PolicyParts
  /** A real path. */
  readonly #home: string
  readonly #compiled = new WeakMap<TeamConfig, Map<string, Rules>>()

  constructor(parts: PolicyParts) {
    this.#parts = parts
    this.#home = realPathOf(parts.home) ?? parts.home
  }

  /** Throws what the store throws; who asks must take that for a no. */
  judge(asking: Asking, use: ToolUse): Verdict {
    const team = this.#team(asking.to)
    return judge({
      ...{ team: asking.to, use, place: this.#place(team) },
      mode: team?.grantPermission ?? 'no',
      rules: team ? this.#rulesOf(team, asking.from) : none,
      grants: this.#grantsOf(asking),
    })
  }

  /**
   * Why a tool may not even be tried, whatever a person's own settings allow: asked before every tool. What needs no
   * permission passes, and the CLI still asks for what it does not think harmless.
   */
  refusal(asking: Asking, use: ToolUse): string | undefined {
    const { decision, by, why } = this.judge(asking, use)
    if (decision !== 'deny') return undefined
    return by === 'mode' && isHarmless(use, this.#place(this.#team(asking.to))) ? undefined : why
  }

  /** The rule that an answer for longer than once makes; null where the syntax has none that is exact. */
  exactRule({ to }: Asking, use: ToolUse): string | null {
    return exactRule(use, this.#place(this.#team(to)))
  }

  /** Claude's own offers as rules. */
  suggestedRules(suggestions: readonly unknown[]): string[] {
    return suggestedRules(suggestions)
  }

  #team(name: string): TeamConfig | undefined {
    return workingTeam(this.#parts.config(), name)
  }

  #place(team: TeamConfig | undefined): Place {
    return { project: team?.realPath ?? '/nonexistent', home: this.#home }
  }

  /** Parsed once for each configuration. */
  #rulesOf(team: TeamConfig, from: string): Rules {
    let ofTeam = this.#compiled.get(team)
    if (!ofTeam) this.#compiled.set(team, (ofTeam = new Map()))
    const known = ofTeam.get(from)
    if (known) return known
    const { permissions } = team
    const own = permissions?.from && Object.hasOwn(permissions.from, from) ? permissions.from[from] : undefined
    const rules = {
      allow: [
        ...[...(permissions?.allow ?? []), ...(own?.allow ?? [])].map(parseRule),
        // They go to the CLI as they are, which may know more forms.
        ...(team.allowedTools ?? []).filter(isRule).map(parseRule),
      ],
      deny: [...(permissions?.deny ?? []), ...(own?.deny ?? [])].map(parseRule),
    }
    ofTeam.set(from, rules)
    return rules
  }

  #grantsOf({ from, to, row }: Asking): Rules {
    const grants = this.#parts.grants.of({ from, to }, row.id)
    const of = (decision: string) =>
      grants.filter((one) => one.decision === decision).map(({ rule }) => parseRule(rule))
    return grants.length === 0 ? none : { allow: of('allow'), deny: of('deny') }
  }
}

const none: Rules = { allow: [], deny: [] }
