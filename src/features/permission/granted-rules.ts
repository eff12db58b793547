import { removeRule } from '../../platform/config/add-rule.ts'
import type { Config } from '../../platform/config/config.ts'
import type { GrantedRule } from './contract/rules.ts'
import type { PermissionGrants } from './rows/permission-grants.ts'

export interface GrantedRulesParts {
  readonly config: () => Config
  readonly grants: Pick<PermissionGrants, 'all' | 'remove'>
  /** Called after rules have changed: the processes to which they apply must get the new rules. */
  readonly onGrant: () => void
}

/** The rules in force for tools: answers that stay in force, and the rules of teams in config.yaml. */
export class GrantedRules {
  readonly #parts: GrantedRulesParts

  constructor(parts: GrantedRulesParts) {
    this.#parts = parts
  }

  list(): GrantedRule[] {
    const { config, grants } = this.#parts
    const answers = grants.all().map(({ id, from, to, session, thread, decision, rule, grantedAt }): GrantedRule => {
      const scope = session === null ? 'pair' : 'session'
      return { team: to, decision, rule, scope, from, ...(thread !== null && { thread }), grant: id, grantedAt }
    })
    const rules = [...config().teams].flatMap(([team, { permissions }]) =>
      (['allow', 'deny'] as const).flatMap((decision) =>
        (permissions?.[decision] ?? []).map((rule): GrantedRule => ({ team, decision, rule, scope: 'always' })),
      ),
    )
    return [...answers, ...rules]
  }

  /** Returns false if there was no such answer. */
  revokeAnswer(grant: number): boolean {
    const isThere = this.#parts.grants.remove(grant)
    if (isThere) this.#parts.onGrant()
    return isThere
  }

  /** Takes effect when config.yaml is read again. Throws `config_invalid`. */
  async revokeRule(team: string, list: GrantedRule['decision'], rule: string): Promise<void> {
    await removeRule({ file: this.#parts.config().file, team, list, rule })
  }
}
