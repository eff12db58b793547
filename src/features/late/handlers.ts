import type { z } from 'zod'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { external } from '../../base/protocol/pair.ts'
import { isEnd, type TurnResult } from '../../base/protocol/turn.ts'
import type { Call } from '../../kernel/call/call.ts'
import type { lateAnswers } from './contract.ts'
import type { LateAnswers, Push } from './late-answers.ts'
import type { LateReports } from './late-reports.ts'

/** Another feature that has something for the sessions that people have open. */
export interface PushSource {
  /** Returns everything waiting for this session and marks it as received. */
  readonly take: (console: string, team: string) => readonly Push[]
  /** Resolves when there is something for this session, or the signal aborts. */
  readonly ready: (console: string, team: string, signal: AbortSignal) => Promise<void>
}

/** The dependencies of these operations. */
export interface LateParts {
  readonly lateAnswers: LateAnswers
  readonly lateReports: LateReports
  /** The sources of what is pushed besides late answers and reports. */
  readonly pushes: readonly PushSource[]
  /** Logs actions that publish no event. */
  readonly log: Log
}

/** late_answers: what the bridge of a session pushes into the inbox of that session. */
export async function late(
  { take = false }: z.output<typeof lateAnswers.input>,
  { auth, console, signal }: Call,
  parts: Pick<LateParts, 'lateAnswers' | 'lateReports' | 'pushes'>,
): Promise<z.output<typeof lateAnswers.output>> {
  if (console === undefined) {
    const remedy = 'Use message_status with the turnId.'
    throw new IrisError('invalid_input', "Only a session's bridge can collect answers this way.", remedy)
  }
  const team = auth.team ?? external
  const { lateAnswers: answers, lateReports: reports, pushes } = parts
  if (take) {
    const late = answers.take(console).map(({ leftRunning, ...push }) => {
      if (leftRunning) reports.expect(push.turnId, console)
      return push
    })
    return { pushes: [...late, ...reports.take(console), ...pushes.flatMap((each) => each.take(console, team))] }
  }
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  await Promise.race([
    answers.ready(console, until),
    reports.ready(console, until),
    ...pushes.map((each) => each.ready(console, team, until)),
  ])
  over.abort()
  return { pushes: [] }
}

/** Records that the calling session now has the end of the turn, or is still owed it. */
export function settleWith(
  { turnId, status, background }: Pick<TurnResult, 'turnId' | 'status' | 'background'>,
  { console }: Call,
  { lateAnswers, lateReports }: Pick<LateParts, 'lateAnswers' | 'lateReports'>,
): void {
  if (console === undefined) return
  // A report wakes the session and costs it tokens, so only a session that may expect one is noted.
  if (background !== undefined) lateReports.expect(turnId, console)
  if (isEnd(status)) lateAnswers.fetched(turnId, console)
  else lateAnswers.owe(turnId, console)
}

/** Announces in the result of a call which late answers are waiting for the caller's session. */
export function withAnnouncement(
  result: Record<string, unknown>,
  input: unknown,
  { console }: Call,
  { lateAnswers, log }: Pick<LateParts, 'lateAnswers' | 'log'>,
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
