import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import { promotedAnswer } from '../../claude/driver/inbox-texts.ts'
import type { Call, Domain } from '../../kernel/call/call.ts'
import { namedTurn, unknownTurn } from '../../kernel/call/named-turn.ts'
import type { sendMessage } from '../messages/contract/messages.ts'
import type { SendInput } from '../messages/handlers/messages.ts'
import type { promoteTurn } from './contract.ts'

/** send_message with inReplyTo: the answer of an open session. */
export function replyLive(
  { message }: Pick<SendInput, 'message'>,
  inReplyTo: string,
  { auth, console }: Call,
  domain: Pick<Domain, 'live' | 'trees'>,
): z.output<typeof sendMessage.output> {
  if (console === undefined || auth.parent !== undefined) {
    const remedy = 'Leave inReplyTo out. Your answer to a message is the text with which you end.'
    throw new IrisError('invalid_input', 'Only an open session that was given a message answers it this way.', remedy)
  }
  const turnId = namedTurn(inReplyTo, domain)
  const { from, to, thread } = domain.live.answer(turnId, auth.team, message.toWellFormed())
  return { status: 'completed', turnId, from, to, thread }
}

/** promote_turn: lets a waiting message into an open session, or puts an answer there. */
export async function promote(
  { turnId: named, team: wanted }: z.output<typeof promoteTurn.input>,
  call: Call,
  domain: Domain,
): Promise<z.output<typeof promoteTurn.output>> {
  const turnId = namedTurn(named, domain)
  const row = domain.turns.rowOf(turnId)
  if (row === undefined)
    throw unknownTurn(`There is no turn ${named}.`, named, 'Use the id of a message.', call, domain)
  const { from, to, thread } = domain.sessions.rowOf(row.session)
  if (domain.live.letIn(turnId)) return { turnId, team: to, what: 'message' }
  const text = row.value ?? row.answer
  if (text === null)
    throw new IrisError('invalid_input', `The message ${turnId} has no answer.`, 'Name one that was answered.')
  const team = wanted ?? to
  const push = { turnId, text: promotedAnswer({ turnId, from, to, thread, asked: row.message, text }) }
  await domain.live.promote(team, push, (console) => domain.lateAnswers.promoted(turnId, console))
  return { turnId, team, what: 'answer' }
}
