import type { Access } from '../../base/operation/operation.ts'

/** Who calls, as the connection shows, never as the caller claims. Plain data. */
export interface Principal {
  readonly kind: Access
  /** The team of an agent, or the name of a viewer. There is one owner, and programs are not distinguished. */
  readonly id: string
  /** An operation names the role that it needs. */
  readonly roles: readonly Access[]
  /**
   * The role of config.yaml, with fewer rights than the team, by which the agent answers now. All its asks use that
   * role.
   */
  readonly limitedTo?: string | undefined
  /** For a person in a browser: the role with whose rights teams answer. */
  readonly chatRole?: string
}

/** The roles of each kind. Adapters derive from them what they offer. */
export const rolesOf: Readonly<Record<Principal['kind'], Principal['roles']>> = {
  viewer: ['viewer'],
  agent: ['agent'],
  program: ['agent', 'program'],
  owner: ['viewer', 'agent', 'program', 'owner'],
}

export const theOwner: Principal = { kind: 'owner', id: 'owner', roles: rolesOf.owner }
export const aProgram: Principal = { kind: 'program', id: 'program', roles: rolesOf.program }

export function agentOf(team: string, limitedTo?: string): Principal {
  return { kind: 'agent', id: team, roles: rolesOf.agent, ...(limitedTo !== undefined && { limitedTo }) }
}

/** A person with a login that only chats. */
export function aViewer(name: string, chatRole: string): Principal {
  return { kind: 'viewer', id: name, roles: rolesOf.viewer, chatRole }
}

/** The principal's name in the audit: `agent:<team>`, `viewer:<name>`, `program` or `owner`. */
export function actorOf({ kind, id, roles }: Principal): string {
  return roles.includes('program') ? kind : `${kind}:${id}`
}
