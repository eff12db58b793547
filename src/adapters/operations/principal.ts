import type { Access } from '../../base/protocol/operations/operation.ts'

/** Who asks, as their connection tells; never as they say. Plain data. */
export interface Principal {
  readonly kind: Access
  /** Which one of its kind: the team of an agent. There is one owner, and no program is told from another. */
  readonly id: string
  /** An operation names the role that it needs. */
  readonly roles: readonly Access[]
  /** A role of config.yaml with less than the team has, by which the agent answers now: all that it asks is asked with it. */
  readonly limitedTo?: string | undefined
}

/** The roles of each kind, from which an adapter makes what it offers. */
export const rolesOf: Readonly<Record<Principal['kind'], Principal['roles']>> = {
  agent: ['agent'],
  program: ['agent', 'program'],
  owner: ['agent', 'program', 'owner'],
}

export const theOwner: Principal = { kind: 'owner', id: 'owner', roles: rolesOf.owner }
export const aProgram: Principal = { kind: 'program', id: 'program', roles: rolesOf.program }

export function agentOf(team: string, limitedTo?: string): Principal {
  return { kind: 'agent', id: team, roles: rolesOf.agent, ...(limitedTo !== undefined && { limitedTo }) }
}

/** As the audit names it. */
export function actorOf({ kind, id, roles }: Principal): string {
  return roles.includes('program') ? kind : `${kind}:${id}`
}
