import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import type { lateAnswers } from '../../base/protocol/operations/late-answers.ts'
import { external } from '../../base/protocol/pair.ts'
import type { TurnResult } from '../../base/protocol/turn.ts'
import type { Call, Domain } from './call.ts'

/** late_answers: what the bridge of a session pushes into the inbox of that session. */
export async function late(
  { take = false }: z.output<typeof lateAnswers.input>,
  { auth, console, signal }: Call,
  domain: Pick<Domain, 'lateAnswers' | 'live' | 'watchedAnswers'>,
): Promise<z.output<typeof lateAnswers.output>> {
  if (console === undefined) {
    const remedy = 'Use message_status with the turnId.'
    throw new IrisError('invalid_input', 'Only a bridge of a session collects answers this way.', remedy)
  }
  const team = auth.team ?? external
  const { lateAnswers: answers, live, watchedAnswers: watched } = domain
  if (take) return { pushes: [...answers.take(console), ...live.take(console, team), ...watched.takeFor(console)] }
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  await Promise.race([answers.ready(console, until), live.ready(console, team, until), watched.ready(console, until)])
  over.abort()
  return { pushes: [] }
}

/** Records whether the session that calls has the end of the turn, or is owed it. */
export function settleWith(
  { turnId, status }: Pick<TurnResult, 'turnId' | 'status'>,
  { console }: Call,
  { lateAnswers }: Pick<Domain, 'lateAnswers'>,
): void {
  if (console === undefined) return
  if (isEnd(status)) lateAnswers.fetched(turnId, console)
  else lateAnswers.owe(turnId, console)
}

/** Whether the caller of a turn with this status has its end. */
export function isEnd(status: TurnResult['status']): boolean {
  return status !== 'async' && status !== 'mcp_timeout'
}

/** Adds to the result of a call which late answers wait for its session. */
export function withAnnouncement(
  result: Record<string, unknown>,
  input: unknown,
  { console }: Call,
  { lateAnswers, log }: Pick<Domain, 'lateAnswers' | 'log'>,
): Record<string, unknown> {
  if (console === undefined) return result
  try {
    lateAnswers.quoted(console, input)
    const answersWaiting = lateAnswers.announcement(console)
    return answersWaiting === undefined ? result : { ...result, answersWaiting }
  } catch (error) {
    // The call is done, and its result must not depend on this.
    log.debug(`late answers were not announced: ${String(error)}`)
    return result
  }
}
