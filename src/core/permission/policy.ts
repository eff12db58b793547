import { join } from 'node:path'
import { roleOfThread } from '../../base/protocol/role.ts'
import { exactRule } from '../../base/rule/exact-rule.ts'
import { handedRule, literalPath } from '../../base/rule/handed-rule.ts'
import { isRule, parseRule } from '../../base/rule/rule.ts'
import { suggestedRules } from '../../base/rule/suggested-rules.ts'
import { below, type Place, realPathOf, type ToolUse } from '../../base/rule/tool-use.ts'
import type { Config, Role, TeamConfig } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import { isNarrowed, roleOf } from '../../platform/config/roles.ts'
import type { PermissionGrants } from '../../platform/store/permission-grants.ts'
import { evaluatePolicy, type PermissionFacts, type Rules, refusedBeforehand, type Verdict } from './evaluate-policy.ts'
import { LinksElsewhere } from './links-elsewhere.ts'
import { modeWith } from './role-limits.ts'

export interface PolicyParts {
  readonly config: () => Config
  readonly grants: Pick<PermissionGrants, 'of'>
  /** The user's home directory, absolute. */
  readonly home: string
  /** The same on the machine of a team with `remote`; known once it was reached. */
  readonly homeElsewhere?: (team: TeamConfig) => string | undefined
  /** Where paths of that machine lead; `bases` are what rules begin at. What is missing could not be said. */
  readonly linksElsewhere?: (
    team: TeamConfig,
    paths: readonly string[],
    bases: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>
}

/** Whose tool it is, who asked for it, and in which session. */
export interface Asking {
  readonly from: string
  readonly to: string
  /** Names the role, if there is one. */
  readonly thread: string
  readonly row: { readonly id: number }
}

const credentials = ['.claude', '.claude.json', '.ssh', '.aws', '.gnupg', '.config', '.netrc', '.npmrc']

/** What the configuration in force and people's lasting answers say of a tool. */
export class Policy {
  readonly #parts: PolicyParts
  /** A real path. */
  readonly #home: string
  readonly #compiled = new WeakMap<TeamConfig, Map<string, Rules>>()
  readonly #links: LinksElsewhere

  constructor(parts: PolicyParts) {
    this.#parts = parts
    this.#home = realPathOf(parts.home) ?? parts.home
    this.#links = new LinksElsewhere(parts.linksElsewhere)
  }

  /**
   * Before a tool of another machine is judged: where the links in its paths lead there. Undefined where nothing depends on them.
   * Rejects with what the machine says, and for a path of which it cannot say that; then the tool may not run.
   */
  look(asking: Asking, use: ToolUse): Promise<void> | undefined {
    const team = this.#team(asking.to)
    if (team?.remote === undefined) return undefined
    const facts = this.#facts(asking, use)
    return this.#links.look(team, facts.place, (place) => refusedBeforehand({ ...facts, place }))
  }

  /** Of a tool that Claude Code asks about. Throws what the store throws; who asks must take that for a no. */
  evaluate(asking: Asking, use: ToolUse): Verdict {
    return evaluatePolicy(this.#facts(asking, use))
  }

  /** Why a tool may not even be tried, whatever a person's own settings allow: asked before every tool. Throws likewise. */
  refusal(asking: Asking, use: ToolUse): string | undefined {
    return refusedBeforehand(this.#facts(asking, use))
  }

  /**
   * The rules that the process of a session is to have, as Claude Code reads them; without those of `allowedTools`, which
   * are on its command line. Throws what the store throws.
   */
  listsFor(asking: Asking): { readonly allow: readonly string[]; readonly ask: readonly string[] } {
    // What its owner allows a team he has not allowed whoever is behind a narrowed role.
    if (this.isNarrowed(asking)) return { allow: [], ask: [] }
    const team = this.#team(asking.to)
    const permissions = team?.permissions
    const texts = [
      ...(permissions?.allow ?? []),
      ...(ownOf(permissions?.from, asking.from)?.allow ?? []),
      ...this.#grantsOf(asking).allow.map(({ text }) => text),
    ]
    const place = this.#place(team)
    const allow = [...new Set(texts)].map((text) => handedRule(text, place))
    return { allow, ask: allow.length === 0 ? [] : this.#alwaysAsked() }
  }

  /** The rule that says exactly this use of a tool; null where the syntax has none. */
  exactRule({ to }: Asking, use: ToolUse): string | null {
    return exactRule(use, this.#place(this.#team(to)))
  }

  /**
   * The same for a use that Claude Code is to let pass from now on. Null also where it asks whatever rule there is: it has
   * the rule already, or it objects to a path of a command outside of the project.
   */
  allowableRule(asking: Asking, use: ToolUse, blockedPath: string | null): string | null {
    const place = this.#place(this.#team(asking.to))
    const rule = exactRule(use, place)
    if (rule === null || this.isNarrowed(asking) || this.listsFor(asking).allow.includes(handedRule(rule, place)))
      return null
    const leadsOut = use.toolName === 'Bash' && blockedPath !== null && below(place.project, blockedPath) === undefined
    return leadsOut ? null : rule
  }

  /** Claude's own offers as rules. */
  suggestedRules(suggestions: readonly unknown[]): string[] {
    return suggestedRules(suggestions)
  }

  #facts(asking: Asking, use: ToolUse): PermissionFacts {
    const team = this.#team(asking.to)
    const role = this.#role(asking)
    const [rules, grants] = [team ? this.#rulesOf(team, asking.from) : none, this.#grantsOf(asking)]
    const isNarrow = role !== undefined && isNarrowed(role)
    const place = this.#place(team)
    const secretPlaces = isNarrow ? this.#secretPlaces(team, place) : []
    return {
      ...{ team: asking.to, use, place, role, secretPlaces },
      mode: modeWith(role, team?.grantPermission ?? 'no'),
      rules: isNarrow ? { allow: [], deny: rules.deny } : rules,
      grants: isNarrow ? { allow: [], deny: grants.deny } : grants,
    }
  }

  /** Whether the turn has less than the team: then no rule that allows holds, and no answer for longer than once. */
  isNarrowed(asking: Pick<Asking, 'thread'>): boolean {
    const role = this.#role(asking)
    return role !== undefined && isNarrowed(role)
  }

  #role({ thread }: Pick<Asking, 'thread'>): Role | undefined {
    const name = roleOfThread(thread)
    return name === undefined ? undefined : roleOf(this.#parts.config(), name)
  }

  /** Of Iris, of Claude Code and of the user; a project may be a directory above them. */
  #secretPlaces(team: TeamConfig | undefined, { home }: Place): readonly string[] {
    const ofUser = credentials.map((name) => join(home, name))
    if (team?.remote !== undefined) return ofUser
    const places = [this.#parts.config().home, ...ofUser]
    return places.map((place) => realPathOf(place) ?? place)
  }

  /** No rule with a star gives away what opens other machines, or Iris itself; of its own files Claude Code sees to that. */
  #alwaysAsked(): readonly string[] {
    const { home } = this.#parts.config()
    const all = `/${literalPath(realPathOf(home) ?? home)}/**`
    return [`Edit(${all})`, `Read(${all})`, 'Edit(~/.ssh/**)']
  }

  #team(name: string): TeamConfig | undefined {
    return workingTeam(this.#parts.config(), name)
  }

  #place(team: TeamConfig | undefined): Place {
    const project = team?.realPath ?? '/nonexistent'
    if (team?.remote === undefined) return { project, home: this.#home }
    const home = this.#parts.homeElsewhere?.(team) ?? '/nonexistent'
    return { project, home, links: (path) => this.#links.of(team, path) }
  }

  /** Parsed once for each configuration. */
  #rulesOf(team: TeamConfig, from: string): Rules {
    let ofTeam = this.#compiled.get(team)
    if (!ofTeam) this.#compiled.set(team, (ofTeam = new Map()))
    const known = ofTeam.get(from)
    if (known) return known
    const { permissions } = team
    const own = ownOf(permissions?.from, from)
    const rules = {
      allow: [
        ...[...(permissions?.allow ?? []), ...(own?.allow ?? [])].map(parseRule),
        // They go to Claude Code as they are, which may know more forms.
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

/** The name of a party may be that of anything an object has. */
function ownOf<Value>(values: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return values && Object.hasOwn(values, key) ? values[key] : undefined
}

const none: Rules = { allow: [], deny: [] }
