import { feature } from '../../kernel/call/feature.ts'
import { type AgentsParts, agent } from './handlers/agents.ts'
import { type InvokeAgentParts, invoke, agents as list } from './handlers/invoke-agent.ts'

/** The subagents of a project, asked by name, and prompts for specialists made for a project. */
export const agents = feature('agents', (parts: AgentsParts & InvokeAgentParts) => ({
  gives: {},
  handlers: {
    get_agent: (input, call) => agent(input, call, parts),
    list_agents: (input, call) => list(input, call, parts),
    invoke_agent: (input, call) => invoke(input, call, parts),
  },
}))
