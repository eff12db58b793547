import type { z } from 'zod'
import { pause } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { type Pair, pairText } from '../../../base/protocol/pair.ts'
import type { StoreView } from '../../../base/protocol/store.ts'
import type { LiveStatus } from '../../../kernel/accept/turn-handle.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { mayReach, pairOfTurn } from '../../../kernel/call/may-reach.ts'
import { namedTurn, unknownTurn } from '../../../kernel/call/named-turn.ts'
import { type PairParts, pairOf } from '../../../kernel/call/pair.ts'
import { isRestricted, listedAsker } from '../../../kernel/call/policy.ts'
import { actorOf } from '../../../kernel/call/principal.ts'
import type { sessionCancel } from '../../conversations/contract/sessions.ts'
import { cancelSchedule, namedSchedule, type SchedulesParts } from '../../schedules/handlers/schedules.ts'
import type { MessagesParts } from './messages.ts'

/** The dependencies of these operations. */
export interface CancelParts extends MessagesParts, PairParts, Pick<SchedulesParts, 'schedules'> {
  readonly store: () => StoreView
}

type Input = z.output<typeof sessionCancel.input>
type Output = z.output<typeof sessionCancel.output>

/** How often the store is checked while cancelled messages have not ended. */
const storeLookMs = 1000

/** The turn to cancel, if there is one. */
interface Target {
  readonly pair: Pair
  readonly turnId: string | undefined
  /** Undefined if the turn ended long ago. */
  readonly turn: LiveStatus | undefined
  /** The message to the caller when there is nothing to cancel. */
  readonly nothing: string
}

/** session_cancel: resolves when the turns have ended. They are cancelled, unless they ended by themselves first. */
export async function cancelTurn(input: Input, call: Call, parts: CancelParts): Promise<Output> {
  const { sessions, clock } = parts
  const began = clock.elapsed()
  const isOfPerson = !isRestricted(call.auth.principal)
  const scheduled = isOfPerson && input.turnId !== undefined ? namedSchedule(input.turnId, parts) : undefined
  if (scheduled) return cancelSchedule(scheduled, parts)
  const { pair, turnId, turn, nothing } = await target(input, call, parts)
  const asker = listedAsker(call.auth.principal)
  const shows = (from: string): boolean => asker === undefined || from === asker
  parts.log.for('orchestrator').info(`Cancel asked for${input.tree === true ? ', with all it caused' : ''}`, {
    pair: pairText(pair),
    ...(turnId !== undefined && { turnId }),
    by: actorOf(call.auth.principal),
    ...(turn?.end === undefined ? {} : { ended: turn.end.outcome }),
  })
  const ending = input.tree === true ? await endTree(turnId, parts) : await endOne(turn, parts)
  const ended = await endsOf(ending, parts)
  const last = turn && (await parts.turns.handle(turn.id).wait())
  const end = last && 'live' in last ? last.live : undefined
  const session = await sessions.of(pair).status()
  const sessionId = end?.sessionId ?? session?.sessionId
  const attempted = ended.length > 0
  const cancelled = ended.some(({ outcome }) => outcome === 'cancelled')
  return {
    team: pair.to,
    from: pair.from,
    thread: pair.thread,
    ...(sessionId && { sessionId }),
    ...(turnId && { turnId }),
    attempted,
    cancelled,
    ...(end?.end && { outcome: end.end.outcome }),
    ...(input.tree === true && { ended: ended.filter(({ from }) => shows(from)) }),
    processFound: session !== undefined && session.sessionId === sessionId && session.processState !== 'stopped',
    message: attempted ? explanation(end, ended, cancelled) : nothing,
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}

async function endOne(turn: LiveStatus | undefined, { turns }: CancelParts): Promise<readonly string[]> {
  if (turn === undefined || turn.end !== undefined) return []
  await turns.handle(turn.id).cancel()
  return [turn.id]
}

async function endTree(turnId: string | undefined, { turns }: CancelParts): Promise<readonly string[]> {
  if (turnId === undefined) return []
  const detail = `Turn ${turnId} was ended on request, with everything it had caused.`
  return turns.handle(turnId).endTree({ reason: 'cancelled', detail })
}

/**
 * The ends of the turns, once the store has recorded them. Throws `store_unavailable` if the store cannot record one.
 */
async function endsOf(ids: readonly string[], parts: CancelParts) {
  const over = new AbortController()
  try {
    return await Promise.race([Promise.all(ids.map((id) => endOf(id, parts))), storeFault(parts, over.signal)])
  } finally {
    over.abort()
  }
}

async function storeFault({ clock, store }: CancelParts, signal: AbortSignal): Promise<never> {
  do await pause(clock, storeLookMs, signal)
  while (!signal.aborted && store().unrecordedEnds === 0)
  throw new IrisError(
    'store_unavailable',
    'The message was cancelled, but Iris could not record that in the store.',
    'Run "iris doctor" to fix the store. If Iris restarts before that, the message is processed again.',
  )
}

async function endOf(turnId: string, { turns, sessions }: CancelParts) {
  const status = await turns.handle(turnId).wait()
  if (status === undefined) throw new Error(`turn ${turnId} is nowhere`)
  const outcome = 'live' in status ? status.live.end?.outcome : status.row.outcome
  return { ...pairOfTurn(status, { sessions }), turnId, outcome: outcome ?? 'cancelled' }
}

function explanation(turn: LiveStatus | undefined, ended: readonly unknown[], cancelled: boolean): string {
  if (turn === undefined || ended.length > 1)
    return `${ended.length} turns were ended; what they had done so far stays done.`
  if (!cancelled) return `Turn ${turn.id} ended by itself (${turn.end?.outcome}) before it could be interrupted.`
  if (turn.dispatchedAt === null) return `Turn ${turn.id} was removed from the queue; Claude Code never saw it.`
  return `Turn ${turn.id} was interrupted. What it had already done is not undone.`
}

async function target(input: Input, call: Call, parts: CancelParts): Promise<Target> {
  if (input.turnId !== undefined) return turnOf(input, input.turnId, call, parts)
  if (input.team === undefined && input.toTeam === undefined) {
    const remedy = 'Give the message (turnId), or the team whose running message to cancel (team).'
    throw new IrisError('invalid_input', 'Give a message or a team.', remedy)
  }
  const pair = await pairOf(input, call, parts)
  const nothing = `Nothing is running in ${pairText(pair)}; there was nothing to cancel.`
  const turnId = (await parts.sessions.of(pair).status())?.queue[0]
  const turn = turnId === undefined ? undefined : (await parts.turns.living([turnId])).get(turnId)
  return { pair, turnId, turn, nothing }
}

/** The turn with that id, which must match the rest of the input. Throws `unknown_turn`. */
async function turnOf(input: Input, named: string, call: Call, parts: CancelParts): Promise<Target> {
  const turnId = namedTurn(named, parts)
  const found = await parts.turns.handle(turnId).status()
  const pair = found && pairOfTurn(found, parts)
  if (!found || !pair || !mayReach('session_cancel', found, call, parts) || !fits(input, pair)) {
    const isNarrowed = [input.team, input.toTeam, input.fromTeam, input.thread].some((given) => given !== undefined)
    const what = `There is no turn ${turnId} of yours${isNarrowed ? ' in that conversation' : ''}.`
    const remedy = `Use the turnId that send_message returned${isNarrowed ? ', without other fields' : ', or an id that list_schedules shows'}.`
    throw unknownTurn(what, named, remedy, call, parts)
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
