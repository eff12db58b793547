import { join } from 'node:path'
import type { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import { Thread } from '../../../base/protocol/names.ts'
import { external } from '../../../base/protocol/pair.ts'
import { knownTeam } from '../../../kernel/accept/admission.ts'
import type { AgentConversations } from '../../../kernel/accept/agent-conversations.ts'
import { askerOf } from '../../../kernel/call/asker.ts'
import type { Call } from '../../../kernel/call/call.ts'
import type { Launcher } from '../../../kernel/pool/launch.ts'
import { agentThread } from '../../../kernel/session/agent-thread.ts'
import { homePaths } from '../../../platform/config/home.ts'
import { settleWith } from '../../late/handlers.ts'
import { byKey, callKey, changesOf, collect, type MessagesParts } from '../../messages/handlers/messages.ts'
import { accepted, ofAccepted } from '../../messages/handlers/not-accepted.ts'
import { checkedTimeout } from '../../messages/handlers/wait.ts'
import type { invokeAgent, listAgents } from '../contract/invoke-agent.ts'

/** The dependencies of these operations. */
export interface InvokeAgentParts extends MessagesParts {
  readonly agentConversations: AgentConversations
  readonly launcher: Pick<Launcher, 'agents' | 'programs' | 'setups'>
}

type Input = z.output<typeof invokeAgent.input>
type Output = z.output<typeof invokeAgent.output>

/** list_agents: the subagents that a team's Claude Code offers. */
export async function agents(
  input: z.output<typeof listAgents.input>,
  call: Call,
  parts: InvokeAgentParts,
): Promise<z.output<typeof listAgents.output>> {
  const { to } = pairOf(input, call, parts)
  const { launcher, machines } = parts
  const { agents: known, asOf } =
    input.refresh === true
      ? await launcher.agents.ask(to)
      : await launcher.agents.of(to, (places) => machines.of(to).project.lastChange(places))
  return {
    team: to,
    asOf,
    agents: known.map(({ name, description, model }) => ({ name, description, ...(model !== undefined && { model }) })),
  }
}

/** invoke_agent: a turn like any other, in its own conversation unless the caller continues an earlier one. */
export async function invoke(input: Input, call: Call, parts: InvokeAgentParts): Promise<Output> {
  const { config, turns, agentConversations } = parts
  const timeout = checkedTimeout(input.timeout ?? config().settings.defaultTimeout)
  const { from, to } = pairOf(input, call, parts)
  const key = callKey(from, input.idempotencyKey, call)
  const before = key === undefined ? undefined : await turns.byKey(key)
  if (before === undefined) await knownAgent(to, input.agentName, parts)
  const ask = {
    from,
    to,
    agentName: input.agentName,
    continueSessionId: input.continueSessionId,
    model: input.model,
    ask: {
      message: input.prompt.toWellFormed(),
      waits: timeout !== -1,
      idempotencyKey: key,
      parent: call.auth.parent,
    },
  }
  const turn = before ?? (await accepted(() => agentConversations.ask(ask), byKey(key, parts)))
  const result = await ofAccepted(turn.id, collect(turn, { timeout, raw: false }, call, parts))
  settleWith(result, call, parts)
  const outputDirectory = join(homePaths(config().home).streams, result.sessionId)
  return { ...result, ...changesOf(input.prompt), agentName: input.agentName, outputDirectory }
}

async function knownAgent(team: string, name: string, { launcher }: InvokeAgentParts): Promise<void> {
  if (!Thread.safeParse(agentThread(name)).success) {
    throw new IrisError('invalid_input', `"${name}" is not a valid name for an agent.`, 'See list_agents.')
  }
  await launcher.agents.check(team, name)
}

function pairOf(input: Pick<Input, 'team' | 'fromTeam'>, { auth }: Call, { config }: InvokeAgentParts) {
  const from = askerOf(auth, input.fromTeam, config())
  const to = input.team ?? from
  if (to === external) {
    throw new IrisError(
      'invalid_input',
      "The agent's project is missing.",
      'Name it in team; list_teams has the names.',
    )
  }
  knownTeam(to, config())
  return { from, to }
}
