import { join } from 'node:path'
import type { PermissionLists } from '../../base/agent/permission-lists.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import { deniedBy } from '../../base/rule/denies.ts'
import { exactRule } from '../../base/rule/exact-rule.ts'
import { handedDenials, handedRule, literalPath } from '../../base/rule/handed-rule.ts'
import { isRule, parseRule } from '../../base/rule/rule.ts'
import { suggestedRules } from '../../base/rule/suggested-rules.ts'
import { below, type Place, realPathOf, type ToolUse } from '../../base/rule/tool-use.ts'
import type { Config, Role, TeamConfig } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import { modeWith, runsSkillCommands } from '../../platform/config/mode-with-role.ts'
import { isNarrowed, roleOf } from '../../platform/config/roles.ts'
import {
  deniedByRule,
  evaluatePolicy,
  type PermissionFacts,
  type Rules,
  refusedBeforehand,
  type Verdict,
} from './evaluate-policy.ts'
import { LinksElsewhere } from './links-elsewhere.ts'
import { refusal } from './refusal.ts'
import type { PermissionGrants } from './rows/permission-grants.ts'

export interface PolicyParts {
  readonly config: () => Config
  readonly grants: Pick<PermissionGrants, 'of'>
  /** The user's home directory, absolute. */
  readonly home: string
  /** The home directory on the machine of a team with `remote`; undefined before that machine was first reached. */
  readonly homeElsewhere?: (team: TeamConfig) => string | undefined
  /** Where the files of a conversation's messages are, absolute. */
  readonly attachmentsOf?: (team: TeamConfig, sessionId: string) => string
  /**
   * Where paths on the team's machine lead. `bases`: the directories at which the paths of rules begin. Unresolvable
   * paths are missing from the result.
   */
  readonly linksElsewhere?: (
    team: TeamConfig,
    paths: readonly string[],
    bases: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>
}

/** The team whose tool is judged, its asker and the session. */
export interface Asking {
  readonly from: string
  readonly to: string
  /** Names the role, if there is one. */
  readonly thread: string
  readonly row: { readonly id: number }
  readonly sessionId?: string
}

const credentials = ['.claude', '.claude.json', '.ssh', '.aws', '.gnupg', '.config', '.netrc', '.npmrc']

/** Judges tools by the configuration in force and by people's answers that stay in force. */
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
   * Call before a tool on another machine is judged: finds out where the links in its paths lead. Undefined if the
   * decision does not depend on links. Rejects with the machine's error, and for a path that cannot be resolved; the
   * tool may not run then.
   */
  look(asking: Asking, use: ToolUse): Promise<void> | undefined {
    return this.#look(asking, use, refusedBeforehand)
  }

  /** Decides about a tool that Claude Code asks about. Throws the store's errors, which callers treat as a denial. */
  evaluate(asking: Asking, use: ToolUse): Verdict {
    return evaluatePolicy(this.#facts(asking, use))
  }

  /** Why a tool may not run, whatever a person's own settings allow. Called before every tool. Throws as `evaluate`. */
  refusal(asking: Asking, use: ToolUse): string | undefined {
    return refusedBeforehand(this.#facts(asking, use))
  }

  /** Why the role or a rule denies a tool, whatever the mode is. Throws as `evaluate`. */
  denial(asking: Asking, use: ToolUse): string | undefined {
    return deniedByRule(this.#facts(asking, use))
  }

  /**
   * Why an agent may not read a file of its project. `settings`: the deny rules of Claude Code's own settings. Claude
   * Code itself applies them and `disallowedTools` to its own tools. Throws as `evaluate`.
   */
  async refusedToRead(asking: Asking, path: string, settings: readonly string[]): Promise<string | undefined> {
    const use = { toolName: 'Read', input: { file_path: path } }
    const ofTeam = (this.#team(asking.to)?.disallowedTools ?? []).filter(isRule).map(parseRule)
    const all = [...settings.filter(isRule).map(parseRule), ...ofTeam]
    const refused = (facts: PermissionFacts): string | undefined => {
      const rule = deniedBy(all, use, facts.place)
      if (rule === undefined) return refusedBeforehand(facts)
      const whose = ofTeam.includes(rule) ? 'its disallowedTools in config.yaml' : "Claude Code's settings"
      return refusal(facts.team, 'Read', `the rule ${rule.text} of ${whose} denies it`)
    }
    await this.#look(asking, use, refused)
    return refused(this.#facts(asking, use))
  }

  #look(asking: Asking, use: ToolUse, judge: (facts: PermissionFacts) => unknown): Promise<void> | undefined {
    const team = this.#team(asking.to)
    if (team?.remote === undefined) return undefined
    const facts = this.#facts(asking, use)
    return this.#links.look(team, facts.place, (place) => judge({ ...facts, place }))
  }

  /**
   * The rules for the process of a session, as Claude Code reads them. The rules of `allowedTools` are on its command
   * line instead. Throws the store's errors.
   */
  listsFor(asking: Asking): PermissionLists {
    const team = this.#team(asking.to)
    const place = this.#place(team)
    const grants = this.#grantsOf(asking)
    const of = (decision: 'allow' | 'deny'): readonly string[] => [
      ...(team?.permissions?.[decision] ?? []),
      ...(ownOf(team?.permissions?.from, asking.from)?.[decision] ?? []),
      ...grants[decision].map(({ text }) => text),
    ]
    // The owner's permissions for a team do not apply to an asker with a narrowed role.
    const allow = this.isNarrowed(asking) ? [] : unique(of('allow').map((text) => handedRule(text, place)))
    return {
      allow,
      ask: allow.length === 0 ? [] : this.#alwaysAsked(),
      deny: unique(of('deny').flatMap((text) => handedDenials(text, place))),
      skillCommands: runsSkillCommands(this.#role(asking), team?.grantPermission ?? 'no'),
    }
  }

  /** The rule that matches exactly this use of a tool; null if the syntax has no such rule. */
  exactRule({ to }: Asking, use: ToolUse): string | null {
    return exactRule(use, this.#place(this.#team(to)))
  }

  /**
   * Like `exactRule`, for a use that Claude Code should allow from now on. Null if Claude Code would ask in spite of
   * the rule, because it already has the rule or objects to a path outside the project. Also null for a narrowed role.
   */
  allowableRule(asking: Asking, use: ToolUse, blockedPath: string | null): string | null {
    const place = this.#place(this.#team(asking.to))
    const rule = exactRule(use, place)
    if (rule === null || this.isNarrowed(asking) || this.listsFor(asking).allow.includes(handedRule(rule, place)))
      return null
    const leadsOut = use.toolName === 'Bash' && blockedPath !== null && below(place.project, blockedPath) === undefined
    return leadsOut ? null : rule
  }

  /** Claude Code's suggestions as rules. */
  suggestedRules(suggestions: readonly unknown[]): string[] {
    return suggestedRules(suggestions)
  }

  #facts(asking: Asking, use: ToolUse): PermissionFacts {
    const team = this.#team(asking.to)
    const role = this.#role(asking)
    const [rules, grants] = [team ? this.#rulesOf(team, asking.from) : none, this.#grantsOf(asking)]
    const isNarrow = role !== undefined && isNarrowed(role)
    const place = { ...this.#place(team), attachments: this.#attachments(team, asking) }
    const secretPlaces = isNarrow ? this.#secretPlaces(team, place) : []
    return {
      team: asking.to,
      use,
      place,
      role,
      secretPlaces,
      mode: modeWith(role, team?.grantPermission ?? 'no'),
      rules: isNarrow ? { allow: [], deny: rules.deny } : rules,
      grants: isNarrow ? { allow: [], deny: grants.deny } : grants,
    }
  }

  /**
   * Whether the turn's role has fewer rights than the team. Then no allow rule applies, and an answer that allows a
   * tool applies only once.
   */
  isNarrowed(asking: Pick<Asking, 'thread'>): boolean {
    const role = this.#role(asking)
    return role !== undefined && isNarrowed(role)
  }

  #role({ thread }: Pick<Asking, 'thread'>): Role | undefined {
    const name = roleOfThread(thread)
    return name === undefined ? undefined : roleOf(this.#parts.config(), name)
  }

  /** Places with secrets of Iris, of Claude Code and of the user; a project may be a directory above them. */
  #secretPlaces(team: TeamConfig | undefined, { home }: Place): readonly string[] {
    const ofUser = credentials.map((name) => join(home, name))
    if (team?.remote !== undefined) return ofUser
    const places = [this.#parts.config().home, ...ofUser]
    return places.map((place) => realPathOf(place) ?? place)
  }

  /**
   * Claude Code always asks about these places, so that no rule with a star exposes the keys to other machines or
   * Iris's own files. Claude Code protects its own files itself.
   */
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

  #attachments(team: TeamConfig | undefined, { sessionId }: Asking): string | undefined {
    const path = team && sessionId && this.#parts.attachmentsOf?.(team, sessionId)
    return path && (team.remote === undefined ? realPathOf(path) : path)
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
        // Claude Code gets `allowedTools` unchanged, and may know other forms of rules, so those that Iris does not
        // recognize are left out here.
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

/** An asker may be named like a property that every object has. */
function ownOf<Value>(values: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return values && Object.hasOwn(values, key) ? values[key] : undefined
}

const none: Rules = { allow: [], deny: [] }

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
