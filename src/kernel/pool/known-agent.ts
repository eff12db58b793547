import type { AgentFacts, AgentProcess } from '../../base/agent/process.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { agentOfThread } from '../session/agent-thread.ts'
import type { Session } from '../session/session.ts'

/**
 * Ends the process and throws `unknown_agent` if the process does not know the agent of the session's thread. Claude
 * Code would otherwise answer as itself, without the agent.
 */
export async function mustKnowAgent(process: AgentProcess, { to, thread }: Session): Promise<void> {
  const agent = agentOfThread(thread)
  if (agent === undefined || process.agents.some(({ name }) => name === agent)) return
  await process.stop('now')
  throw unknownAgent(agent, to, process.agents)
}

export function unknownAgent(agent: string, team: string, known: readonly AgentFacts[]): IrisError {
  const names = known.map(({ name }) => name).join(', ')
  const remedy = `Agents: ${names}. To add one, create a file in .claude/agents of the project or of the user.`
  return new IrisError('unknown_agent', `Team "${team}" has no agent "${agent}".`, remedy)
}
