import { contracts, type OperationName } from '../../base/protocol/operations/index.ts'
import type { Pair } from '../../base/protocol/party.ts'
import type { Principal } from './principal.ts'

type Reach = (team: string, about: Pick<Pair, 'from' | 'to'>) => boolean

const asked: Reach = (team, { from }) => from === team
const takesPart: Reach = (team, { from, to }) => from === team || to === team
const itsProject: Reach = (team, { to }) => to === team

/** What an agent reaches with the operations that it may call; everything with those that are not here. */
const reachOfAgents: Partial<Record<OperationName, Reach>> = {
  message_status: asked,
  session_cancel: asked,
  team_status: takesPart,
  get_agent: itsProject,
}

/** The policy of every operation: whether this principal may call it, and, of a pair, for that. */
export function may(
  name: OperationName,
  principal: Pick<Principal, 'id' | 'roles'>,
  about?: Pick<Pair, 'from' | 'to'>,
) {
  if (!principal.roles.includes(contracts[name].access)) return false
  const reach = isRestricted(principal) ? reachOfAgents[name] : undefined
  return about === undefined || reach === undefined || reach(principal.id, about)
}

/** It sees only what its own team takes part in, and nothing of Iris itself. */
export function isRestricted({ roles }: Pick<Principal, 'roles'>): boolean {
  return !roles.includes('program')
}

/** The teams whose conversations a list shows; none: all of them. */
export function listedTeams(principal: Principal): string[] {
  return isRestricted(principal) ? [principal.id] : []
}
