import { join } from 'node:path'
import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import { Thread } from '../../base/protocol/names.ts'
import type { invokeAgent, listAgents } from '../../base/protocol/operations/invoke-agent.ts'
import { external, type Pair } from '../../base/protocol/party.ts'
import { knownTeam } from '../../core/orchestrator/admission.ts'
import type { TurnHandle } from '../../core/orchestrator/turn-handle.ts'
import { agentOfThread, agentThread } from '../../core/session/agent-thread.ts'
import type { Session } from '../../core/session/session.ts'
import { homePaths } from '../../platform/config/home.ts'
import type { SessionRow } from '../../platform/store/sessions.ts'
import type { Call, Domain } from './call.ts'
import { fromParty } from './from-party.ts'
import { byKey, callKey, changesOf, collect } from './messages.ts'
import { accepted, ofAccepted } from './not-accepted.ts'
import { checkedTimeout } from './wait.ts'

type Input = z.output<typeof invokeAgent.input>
type Output = z.output<typeof invokeAgent.output>

/** list_agents */
export async function agents(
  input: z.output<typeof listAgents.input>,
  call: Call,
  domain: Domain,
): Promise<z.output<typeof listAgents.output>> {
  const { to } = parties(input, call, domain)
  const { launcher, machines } = domain
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

/** invoke_agent: a turn like any other, in a conversation of its own unless an earlier one is taken up. */
export async function invoke(input: Input, call: Call, domain: Domain): Promise<Output> {
  const { config, turns, sessions } = domain
  const timeout = checkedTimeout(input.timeout ?? config().settings.defaultTimeout)
  const { from, to } = parties(input, call, domain)
  const key = callKey(from, input.idempotencyKey, call)
  const ask: AskIn = (session) => accepted(() => askIn(session), byKey(key, domain))
  const askIn: AskIn = (session) => {
    // A new conversation does not inherit what an earlier one was asked to run with.
    if (input.model !== undefined || input.continueSessionId === undefined)
      sessions.useModel(session, input.model ?? null)
    return turns.ask({
      pair: session,
      message: input.prompt.toWellFormed(),
      waits: timeout !== -1,
      idempotencyKey: key,
      parent: call.caller.parent,
    })
  }
  const before = key === undefined ? undefined : await turns.byKey(key)
  const turn = before ?? (await begun(input, { from, to }, domain, ask))
  const result = await ofAccepted(turn.id, collect(turn, { timeout, raw: false }, call, domain))
  const outputDirectory = join(homePaths(config().home).streams, result.sessionId)
  return { ...result, ...changesOf(input.prompt), agentName: input.agentName, outputDirectory }
}

/** Asks in the same tick in which the conversation is seen to be free: two calls at once must not share one. */
type AskIn = (session: Session) => Promise<TurnHandle>

async function begun(input: Input, parties: Omit<Pair, 'thread'>, domain: Domain, ask: AskIn): Promise<TurnHandle> {
  const { agentName, continueSessionId, model } = input
  if (!Thread.safeParse(agentThread(agentName)).success) {
    throw new IrisError('invalid_input', `"${agentName}" cannot be the name of an agent.`, 'See list_agents.')
  }
  const earlier = continueSessionId === undefined ? undefined : rowOf(continueSessionId, agentName, parties, domain)
  await domain.launcher.agents.check(parties.to, agentName)
  if (earlier !== undefined) return takeUp(earlier, model, domain, ask)
  for (let number = 1; ; number++) {
    const pair = { ...parties, thread: agentThread(agentName, number) }
    const used = domain.sessions.find(pair)
    if (used === undefined) return ask(domain.sessions.open(pair))
    if (used.queue.length === 0) await domain.pool.stop(used, 'a new conversation with the agent begins')
    if (used.queue.length > 0) continue
    domain.sessions.replace(used, 'a new conversation with the agent was begun')
    return ask(used)
  }
}

async function takeUp(row: SessionRow, model: string | undefined, domain: Domain, ask: AskIn): Promise<TurnHandle> {
  const { pool, sessions } = domain
  const session = sessions.open(row)
  const stays = session.row.id === row.id && (model === undefined || model === session.row.model)
  if (!stays && session.queue.length === 0) await pool.stop(session, 'another conversation with the agent is taken up')
  if (stays || session.queue.length === 0) return ask(sessions.bringBack(row))
  throw new IrisError(
    'process_busy',
    `This agent is at work in the same place (turn ${session.queue[0]?.id}).`,
    'Take the conversation up when that has ended, or begin a new one by leaving continueSessionId out.',
  )
}

function rowOf(sessionId: string, agent: string, { from, to }: Omit<Pair, 'thread'>, { sessions }: Domain): SessionRow {
  const row = sessions.bySessionId(sessionId)
  if (row !== undefined && row.from === from && row.to === to && agentOfThread(row.thread) === agent) return row
  throw new IrisError(
    'unknown_session',
    `${from} has no conversation ${sessionId} with the agent "${agent}" of ${to}.`,
    'Use the sessionId that invoke_agent returned for this agent and team, or leave continueSessionId out.',
  )
}

function parties(input: Pick<Input, 'team' | 'fromTeam'>, { caller }: Call, { config }: Domain) {
  const from = fromParty(caller, input.fromTeam, config())
  const to = input.team ?? from
  if (to === external) {
    throw new IrisError(
      'invalid_input',
      'Nothing says in whose project the agent is to work.',
      'Name it in team; list_teams has the names.',
    )
  }
  knownTeam(to, config())
  return { from, to }
}
