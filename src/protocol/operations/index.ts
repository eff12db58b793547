import { getAgent } from './agents.ts'
import { getDate } from './date.ts'
import { invokeAgent, listAgents } from './invoke-agent.ts'
import { askMessage, messageStatus, quickMessage, sendMessage } from './messages.ts'
import { notify } from './notices.ts'
import { listTeams, teamSleep, teamStatus, teamWake } from './teams.ts'

/** Every verb of Iris, by name. A handler missing in `operations/` does not compile. */
export const contracts = {
  list_teams: listTeams,
  team_status: teamStatus,
  team_wake: teamWake,
  team_sleep: teamSleep,
  send_message: sendMessage,
  ask_message: askMessage,
  quick_message: quickMessage,
  message_status: messageStatus,
  notify,
  get_date: getDate,
  get_agent: getAgent,
  list_agents: listAgents,
  invoke_agent: invokeAgent,
} as const

export type Contracts = typeof contracts
export type OperationName = keyof Contracts
export const operationNames = Object.keys(contracts) as OperationName[]
