import { mainThread, type Pair } from '../../base/protocol/pair.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import { contracts, type OperationName } from '../../features/contracts.ts'
import { type Principal, rolesOf } from './principal.ts'

type About = Pick<Pair, 'from' | 'to'> & Partial<Pick<Pair, 'thread'>>
type Reach = (team: string, about: About) => boolean

const asked: Reach = (team, { from }) => from === team
const takesPart: Reach = (team, { from, to }) => from === team || to === team
const itsProject: Reach = (team, { to }) => to === team

/** The data that an agent can reach with each operation it may call. Operations not listed here reach everything. */
const reachOfAgents: Partial<Record<OperationName, Reach>> = {
  message_status: asked,
  session_cancel: asked,
  team_status: takesPart,
  get_agent: itsProject,
}

/**
 * All operations that an agent may call while it answers with a limited role: it can ask, and collect the answers.
 * Other operations, such as leaving a notice for a later turn, would act with the rights of the team.
 */
const withLimitedRole: ReadonlySet<OperationName> = new Set([
  ...(['list_teams', 'send_message', 'ask_message', 'quick_message'] as const),
  ...(['message_status', 'return_value', 'session_cancel', 'get_date'] as const),
  ...(['chat_reply', 'chat_react', 'chat_history', 'chat_send_file'] as const),
])

/**
 * The operations a program with its own token may call, and the data it can reach with them. Everything else is
 * refused.
 */
const reachOfNamed: Partial<Record<OperationName, 'own' | 'all'>> = {
  list_teams: 'own',
  send_message: 'own',
  ask_message: 'own',
  quick_message: 'own',
  message_status: 'own',
  session_cancel: 'own',
  session_report: 'own',
  notify: 'own',
  list_sessions: 'own',
  session_stats: 'own',
  list_turns: 'own',
  trace_turn: 'own',
  search_messages: 'own',
  list_events: 'own',
  get_date: 'all',
}

/** Whether this principal may call the operation and, if a pair is given, may call it for that pair. */
export function may(
  name: OperationName,
  principal: Pick<Principal, 'id' | 'roles' | 'limitedTo'>,
  about?: About,
): boolean {
  const { id, roles, limitedTo } = principal
  if (isNamed(principal)) return reachOfNamed[name] !== undefined && (about === undefined || asked(id, about))
  if (!roles.includes(contracts[name].access)) return false
  if (limitedTo !== undefined && !withLimitedRole.has(name)) return false
  const reach = isRestricted(principal) ? reachOfAgents[name] : undefined
  if (about === undefined || reach === undefined) return true
  return reach(id, about) && isOfItsRole(limitedTo, about)
}

/** While an agent answers with a limited role, it reaches only conversations of that role. */
function isOfItsRole(limitedTo: string | undefined, { thread = mainThread }: About): boolean {
  return limitedTo === undefined || roleOfThread(thread) === limitedTo
}

/** Whether the principal sees only data in which its own team takes part, and nothing about Iris itself. */
export function isRestricted({ roles }: Pick<Principal, 'roles'>): boolean {
  return !roles.includes('program')
}

/** The kinds of callers in docs/guide/rights.md. */
export const askers = ['agent', 'named', 'program', 'viewer', 'owner'] as const
export type Asker = (typeof askers)[number]

/**
 * Operations whose handlers narrow the caller's reach themselves: by the asker, by the content of a list, or by the
 * turn on which the caller is working.
 */
const narrowed: Readonly<Partial<Record<Asker, ReadonlySet<OperationName>>>> = {
  agent: new Set([
    ...(['send_message', 'ask_message', 'quick_message', 'invoke_agent', 'notify', 'session_report'] as const),
    ...(['list_sessions', 'session_stats', 'return_value'] as const),
    ...(['chat_reply', 'chat_react', 'chat_send_file', 'chat_history'] as const),
  ]),
  viewer: new Set(['viewer_overview', 'viewer_messages', 'viewer_send', 'viewer_stop', 'viewer_search'] as const),
}

/**
 * Whether a kind of caller may call an operation, and whether for all data or only for its own. This is one cell of the
 * table in docs/guide/rights.md.
 */
export function rightOf(name: OperationName, asker: Asker): 'yes' | 'own' | '–' {
  if (!may(name, { id: '', roles: rolesOf[asker] })) return '–'
  if (asker === 'named') return reachOfNamed[name] === 'own' ? 'own' : 'yes'
  const isNarrowed = narrowed[asker]?.has(name) === true || (asker === 'agent' && reachOfAgents[name] !== undefined)
  return isNarrowed ? 'own' : 'yes'
}

/** Whether this is a program with its own token, which sees only what it asked itself. */
export function isNamed({ roles }: Pick<Principal, 'roles'>): boolean {
  return roles.includes('named')
}

/** The only asker whose turns the principal sees in lists. Undefined if it sees the turns of all askers. */
export function listedAsker(principal: Principal): string | undefined {
  return isNamed(principal) ? principal.id : undefined
}

/** The teams whose conversations a list shows to the principal. Empty if it shows those of all teams. */
export function listedTeams(principal: Principal): string[] {
  return isRestricted(principal) ? [principal.id] : []
}
