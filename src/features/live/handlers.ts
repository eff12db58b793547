import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import { promotedAnswer } from '../../claude/driver/inbox-texts.ts'
import type { SessionHandles } from '../../kernel/accept/session-handle.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import type { Call } from '../../kernel/call/call.ts'
import { type NamedTurnParts, namedTurn, unknownTurn } from '../../kernel/call/named-turn.ts'
import type { LateAnswers } from '../late/late-answers.ts'
import type { SendInput, sendMessage } from '../messages/contract/messages.ts'
import type { promoteTurn } from './contract.ts'
import type { LiveAsks } from './live-asks.ts'

/** The dependencies of these operations. */
export interface LiveParts extends NamedTurnParts {
  /** Turns by their ids. */
  readonly turns: Turns
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
  readonly lateAnswers: LateAnswers
  readonly live: Pick<LiveAsks, 'answer' | 'letIn' | 'of' | 'promote' | 'ready' | 'take' | 'waitingFor'>
}

/** send_message with inReplyTo: the answer of an open session. */
export function replyLive(
  { message }: Pick<SendInput, 'message'>,
  inReplyTo: string,
  { auth, console }: Call,
  parts: Pick<LiveParts, 'live' | 'trees'>,
): z.output<typeof sendMessage.output> {
  if (console === undefined || auth.parent !== undefined) {
    const remedy = 'Leave inReplyTo out. Your final text is your answer to the message.'
    throw new IrisError('invalid_input', 'Only an open session that received a message can answer it this way.', remedy)
  }
  const turnId = namedTurn(inReplyTo, parts)
  const { from, to, thread } = parts.live.answer(turnId, auth.team, message.toWellFormed())
  return { status: 'completed', turnId, from, to, thread }
}

/** promote_turn: lets a waiting message into an open session, or puts an answer there. */
export async function promote(
  { turnId: named, team: wanted }: z.output<typeof promoteTurn.input>,
  call: Call,
  parts: LiveParts,
): Promise<z.output<typeof promoteTurn.output>> {
  const turnId = namedTurn(named, parts)
  const row = parts.turns.rowOf(turnId)
  if (row === undefined) throw unknownTurn(`There is no turn ${named}.`, named, 'Use the id of a message.', call, parts)
  const { from, to, thread } = parts.sessions.rowOf(row.session)
  if (parts.live.letIn(turnId)) return { turnId, team: to, what: 'message' }
  const text = row.value ?? row.answer
  if (text === null)
    throw new IrisError('invalid_input', `The message ${turnId} has no answer.`, 'Choose a message that has an answer.')
  const team = wanted ?? to
  const push = { turnId, text: promotedAnswer({ turnId, from, to, thread, asked: row.message, text }) }
  await parts.live.promote(team, push, (console) => parts.lateAnswers.promoted(turnId, console))
  return { turnId, team, what: 'answer' }
}
