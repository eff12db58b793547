import type { Output } from '../../../adapters/client/tool-call.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { statusOfAll } from '../../../base/protocol/status-of-all.ts'
import type { CommandContext } from '../context.ts'
import { exitCodeOf, interrupted, notAnswered, stillRunning, terminated } from '../exit-code.ts'
import { endOf } from './follow-turn.ts'
import { type AnswerOptions, LeftRunning, leftText, showEnd } from './show-answer.ts'

type Sent = NonNullable<Output<'send_message'>['results']>[number]

/**
 * Shows each team's answer when it arrives, or with --json all answers at the end. Resolves with the exit code,
 * undefined for 0. If the wait ends before an answer has come, prints how to collect that answer.
 */
export async function showAnswers(
  context: CommandContext,
  sent: readonly Sent[],
  { timeoutMs, json, isAsync }: Pick<AnswerOptions, 'timeoutMs' | 'json'> & { readonly isAsync: boolean },
): Promise<number | undefined> {
  const began = systemClock.elapsed()
  const left = new AbortController()
  const leave = (exitCode: number) => () => left.abort(new LeftRunning(exitCode))
  const stops = [context.onSignal('SIGINT', leave(interrupted)), context.onSignal('SIGTERM', leave(terminated))]
  const failures = new Set<number>()
  const results = await Promise.all(
    sent.map(async (each): Promise<Sent> => {
      const { turnId } = each
      if (turnId === undefined || isAsync) {
        if (!json) context.say(`${each.to}: ${turnId ?? `${each.error?.message ?? ''} ${each.error?.remedy ?? ''}`}`)
        return each
      }
      const { kept, from: fromTeam } = each
      try {
        const ended = await endOf(context, { turnId, fromTeam }, { timeoutMs, signal: left.signal })
        const end = { ...ended, ...(kept && { kept }) }
        if (json) return end
        context.say(`── ${each.to} (${shortId(turnId)}, ${Math.round((systemClock.elapsed() - began) / 100) / 10} s)`)
        showEnd(context, end, undefined)
        return end
      } catch (error) {
        if (!(error instanceof LeftRunning || error instanceof IrisError)) throw error
        const isLeft = error instanceof LeftRunning
        failures.add(isLeft ? error.exitCode : exitCodeOf(error.code))
        context.note(`${each.to}: ${isLeft ? leftText(turnId) : `${error.message} ${error.remedy}`}`)
        return each
      }
    }),
  )
  for (const stop of stops) stop()
  if (json) context.sayJson({ status: statusOfAll(results), results })
  const [failure] = failures
  if (failure !== undefined) return failure
  const statuses = new Set<string>(results.map(({ status }) => status))
  if (isAsync) return statuses.has('refused') ? notAnswered : undefined
  if (statuses.size === 1 && statuses.has('completed')) return 0
  return statuses.has('mcp_timeout') || statuses.has('async') ? stillRunning : notAnswered
}
