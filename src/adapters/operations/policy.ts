import { contracts, type OperationName } from '../../base/protocol/operations/index.ts'
import { mainThread, type Pair } from '../../base/protocol/party.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import type { Principal } from './principal.ts'

type About = Pick<Pair, 'from' | 'to'> & Partial<Pick<Pair, 'thread'>>
type Reach = (team: string, about: About) => boolean

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

/**
 * All that an agent may call while it answers by a limited role: it asks, and collects what it asked. Whatever else agents
 * may, such as leaving word for a later message, would act with the rights of the team.
 */
const withLimitedRole: ReadonlySet<OperationName> = new Set([
  ...(['list_teams', 'send_message', 'ask_message', 'quick_message'] as const),
  ...(['message_status', 'return_value', 'session_cancel', 'get_date'] as const),
])

/** The policy of every operation: whether this principal may call it, and, of a pair, for that. */
export function may(
  name: OperationName,
  principal: Pick<Principal, 'id' | 'roles' | 'limitedTo'>,
  about?: About,
): boolean {
  const { id, roles, limitedTo } = principal
  if (!roles.includes(contracts[name].access)) return false
  if (limitedTo !== undefined && !withLimitedRole.has(name)) return false
  const reach = isRestricted(principal) ? reachOfAgents[name] : undefined
  if (about === undefined || reach === undefined) return true
  return reach(id, about) && isOfItsRole(limitedTo, about)
}

/** With a limited role it reaches only what was asked with that role. */
function isOfItsRole(limitedTo: string | undefined, { thread = mainThread }: About): boolean {
  return limitedTo === undefined || roleOfThread(thread) === limitedTo
}

/** It sees only what its own team takes part in, and nothing of Iris itself. */
export function isRestricted({ roles }: Pick<Principal, 'roles'>): boolean {
  return !roles.includes('program')
}

/** The teams whose conversations a list shows; none: all of them. */
export function listedTeams(principal: Principal): string[] {
  return isRestricted(principal) ? [principal.id] : []
}
