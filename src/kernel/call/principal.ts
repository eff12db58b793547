import type { Access } from '../../base/operation/operation.ts'

/** `named`: a program with its own token. `program`: all other programs. */
type Kind = Access | 'named'

/** The caller as the connection identifies it, whatever the caller claims to be. Plain data. */
export interface Principal {
  readonly kind: Kind
  /**
   * The team of an agent, the name of a viewer, or the asker `program:<name>`. The owner and all other programs each
   * have one fixed id.
   */
  readonly id: string
  /** Every operation requires a role; the principal may call those that require one of these. */
  readonly roles: readonly Kind[]
  /**
   * The role in config.yaml that applies to everything it asks. For an agent, the role it currently answers with, if
   * that has fewer rights than the team; for a program with its own token, the token's role.
   */
  readonly limitedTo?: string | undefined
  /** The teams that a program with its own token may ask. Absent if it may ask all teams. */
  readonly asks?: readonly string[]
  /** The callbacks that the messages of a program with its own token may name. Absent if they may name none. */
  readonly callbacks?: readonly string[]
  /** The role whose rights teams have when they answer a person in a browser. */
  readonly chatRole?: string
}

/** The roles of each kind. Adapters use them to decide what they offer. */
export const rolesOf: Readonly<Record<Principal['kind'], Principal['roles']>> = {
  viewer: ['viewer'],
  named: ['named'],
  agent: ['agent'],
  program: ['agent', 'program'],
  owner: ['viewer', 'agent', 'program', 'owner'],
}

export const theOwner: Principal = { kind: 'owner', id: 'owner', roles: rolesOf.owner }
export const aProgram: Principal = { kind: 'program', id: 'program', roles: rolesOf.program }

export function agentOf(team: string, limitedTo?: string): Principal {
  return { kind: 'agent', id: team, roles: rolesOf.agent, ...(limitedTo !== undefined && { limitedTo }) }
}

/** A person whose login only lets them chat. */
export function aViewer(name: string, chatRole: string): Principal {
  return { kind: 'viewer', id: name, roles: rolesOf.viewer, chatRole }
}

/** A program with its own token: `id` is the asker. */
export function aNamedProgram(
  id: string,
  asks: readonly string[],
  { limitedTo, callbacks }: Pick<Principal, 'limitedTo' | 'callbacks'> = {},
): Principal {
  const rights = { ...(limitedTo !== undefined && { limitedTo }), ...(callbacks && { callbacks }) }
  return { kind: 'named', id, roles: rolesOf.named, asks, ...rights }
}

/**
 * The principal's name in audit and metrics: `agent:<team>`, `viewer:<name>`, `program:<name>`, `program` or `owner`.
 */
export function actorOf({ kind, id, roles }: Principal): string {
  if (kind === 'named') return id
  return roles.includes('program') ? kind : `${kind}:${id}`
}
