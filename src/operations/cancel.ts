import type { z } from 'zod'
import type { sessionCancel } from '../protocol/operations/sessions.ts'
import { type Pair, pairText } from '../protocol/party.ts'
import type { Turn } from '../turn/turn.ts'
import { actorOf, type Call, type Domain } from './call.ts'
import { mayRead } from './may-read.ts'
import { namedTurn, unknownTurn } from './named-turn.ts'
import { pairOf } from './pair.ts'

type Input = z.output<typeof sessionCancel.input>
type Output = z.output<typeof sessionCancel.output>

/** What there is to cancel, if anything. */
interface Target {
  readonly pair: Pair
  readonly turnId: string | undefined
  /** Undefined when it ended long ago. */
  readonly turn: Turn | undefined
  /** Why there is nothing. */
  readonly nothing: string
}

/** session_cancel: resolves when what was to end has ended, cancelled or, where that crossed, otherwise. */
export async function cancelTurn(input: Input, call: Call, domain: Domain): Promise<Output> {
  const { orchestrator, pool, sessions, clock } = domain
  const began = clock.elapsed()
  const { pair, turnId, turn, nothing } = target(input, call, domain)
  domain.log.for('orchestrator').info(`Cancel asked for${input.tree === true ? ', with all it caused' : ''}`, {
    ...{ pair: pairText(pair), ...(turnId !== undefined && { turnId }), by: actorOf(call.caller) },
    ...(turn?.end === undefined ? {} : { ended: turn.end.outcome }),
  })
  const ending = input.tree === true ? endTree(turnId, domain) : endOne(turn, domain)
  const ended = await Promise.all(
    ending.map(async (each) => ({ ...each.pair, turnId: each.id, outcome: (await each.settled).outcome })),
  )
  const end = await turn?.settled
  const session = turn ? orchestrator.sessionOf(turn) : sessions.find(pair)
  const attempted = ended.length > 0
  const cancelled = ended.some(({ outcome }) => outcome === 'cancelled')
  return {
    team: pair.to,
    from: pair.from,
    thread: pair.thread,
    ...(session && { sessionId: session.sessionId }),
    ...(turnId && { turnId }),
    attempted,
    cancelled,
    ...(end && { outcome: end.outcome }),
    ...(input.tree === true && { ended }),
    processFound: session !== undefined && pool.state(session) !== 'stopped',
    message: attempted ? told(turn, ended, cancelled) : nothing,
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}

function endOne(turn: Turn | undefined, { orchestrator }: Domain): readonly Turn[] {
  if (turn === undefined || turn.end !== undefined) return []
  orchestrator.cancel(turn)
  return [turn]
}

function endTree(turnId: string | undefined, { orchestrator }: Domain): readonly Turn[] {
  if (turnId === undefined) return []
  const detail = `Turn ${turnId} was ended on request, with everything it had caused.`
  return orchestrator.endTree(turnId, { reason: 'cancelled', detail })
}

function told(turn: Turn | undefined, ended: readonly unknown[], cancelled: boolean): string {
  if (turn === undefined || ended.length > 1)
    return `${ended.length} turns were ended; what they had done so far stays done.`
  if (!cancelled) return `Turn ${turn.id} ended by itself (${turn.end?.outcome}) before it could be interrupted.`
  if (turn.dispatchedAt === null) return `Turn ${turn.id} was taken out of the queue; Claude Code never saw it.`
  return `Turn ${turn.id} was interrupted; what it had done so far stays done.`
}

function target(input: Input, call: Call, domain: Domain): Target {
  if (input.turnId !== undefined) return turnOf(input, input.turnId, call, domain)
  const pair = pairOf(input, call, domain)
  const nothing = `Nothing runs in ${pairText(pair)}; there was nothing to cancel.`
  const turn = domain.sessions.find(pair)?.queue[0]
  return { pair, turnId: turn?.id, turn, nothing }
}

/** The turn of that id, which must be what else is said of it. */
function turnOf(input: Input, named: string, call: Call, domain: Domain): Target {
  const turnId = namedTurn(named, domain)
  const found = domain.orchestrator.find(turnId)
  const pair = found && ('live' in found ? found.live.pair : domain.sessions.rowOf(found.row.session))
  if (!found || !pair || !mayRead(found, call, domain) || !fits(input, pair)) {
    const remedy = 'Use the turnId that send_message returned, and leave the rest out.'
    throw unknownTurn(`There is no turn ${turnId} of yours with this team.`, named, remedy, call, domain)
  }
  const outcome = 'live' in found ? found.live.end?.outcome : found.row.outcome
  const nothing = `Turn ${turnId} had ended already (${outcome}); nothing was cancelled.`
  return { pair, turnId, turn: 'live' in found ? found.live : undefined, nothing }
}

function fits({ team, toTeam, fromTeam, thread }: Input, pair: Pair): boolean {
  const said = [
    [team, pair.to],
    [toTeam, pair.to],
    [fromTeam, pair.from],
    [thread, pair.thread],
  ]
  return said.every(([given, is]) => given === undefined || given === is)
}
