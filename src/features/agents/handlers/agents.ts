import type { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import { knownTeam } from '../../../kernel/accept/admission.ts'
import type { AuthContext, Call } from '../../../kernel/call/call.ts'
import { may } from '../../../kernel/call/policy.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { Machines } from '../../../platform/machine/machine.ts'
import { agentPrompt } from '../agent-prompt.ts'
import { agentTypes, type getAgent } from '../contract/agents.ts'
import { TemplateError } from '../template-error.ts'

/** The dependencies of these operations. */
export interface AgentsParts {
  readonly config: () => Config
  readonly machines: Machines
}

type Input = z.output<typeof getAgent.input>

/** get_agent: a specialist's prompt, made for the project of a team. */
export async function agent(
  input: Input,
  { auth }: Call,
  parts: AgentsParts,
): Promise<z.output<typeof getAgent.output>> {
  const { agentType, context = {}, includeGitDiff = false } = input
  const config = parts.config()
  const team = projectOf(auth, input.team, config)
  const project = { directory: team.realPath, files: parts.machines.of(team.name).project }
  const request = { kind: agentType, project, home: config.home, context, withGitDiff: includeGitDiff }
  try {
    const made = await agentPrompt(request)
    return { agentType, ...made, availableAgents: agentTypes, warnings: [...made.warnings] }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new IrisError('invalid_input', `The prompt cannot be created: ${error.message}.`, 'Shorten context.')
  }
}

/** A prompt contains parts of a project's files, so an agent gets prompts for its own project only. */
function projectOf({ principal, team }: AuthContext, named: string | undefined, config: Config) {
  if (named !== undefined && !may('get_agent', principal, { from: named, to: named })) {
    throw new IrisError(
      'not_allowed',
      `An agent gets prompts only for its own project, not for that of "${named}".`,
      `Leave team out, or ask ${named} with send_message.`,
    )
  }
  const name = named ?? team
  if (name === undefined) {
    throw new IrisError(
      'invalid_input',
      'The project of the prompt is missing.',
      'Name it in team; list_teams has the names.',
    )
  }
  knownTeam(name, config)
  return config.teams.get(name)!
}
