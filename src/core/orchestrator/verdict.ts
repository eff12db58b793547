import { IrisError } from '../../base/protocol/error.ts'
import { whereAll } from '../../base/protocol/reasons.ts'
import type { Cancellation, Reason } from '../../base/protocol/turn.ts'
import type { AnswerNotes } from '../../claude/driver/answer.ts'
import type { EndingSigns } from '../../claude/driver/ending-signs.ts'
import { endingOf, quoted } from '../../claude/driver/endings.ts'
import type { ClaudeResult } from '../../claude/driver/result.ts'
import type { Turn, TurnEnd } from '../../claude/turn/turn.ts'

/** A turn's end without its time, session and value. */
export type Verdict = Omit<TurnEnd, 'settledAt' | 'sessionId' | 'value'>

/** A turn that ended without a whole answer. */
export function ended(
  outcome: 'failed' | 'cancelled' | 'timed_out' | 'in_doubt',
  reason: Reason,
  detail: string,
  partial: string,
): Verdict {
  return { outcome, reason, detail, answer: null, partial: partial || null, usage: null, background: null }
}

/** Somebody cancelled it, a budget was used up, or Iris stops: the worker then leaves the turn to the next start. */
export function stopped({ cancelled, partialText }: Pick<Turn, 'cancelled' | 'partialText'>): Verdict {
  if (!cancelled.aborted) return ended('failed', 'interrupted', 'Iris stops.', partialText)
  return endedBy(cancelled.reason as Cancellation, partialText)
}

export function endedBy({ reason, detail }: Cancellation, partial: string): Verdict {
  return ended(reason === 'over_budget' ? 'failed' : 'cancelled', reason, detail, partial)
}

/** An answer found in the transcript after its process ended. Its usage was lost with the result line. */
export function recovered(answer: string, notes?: AnswerNotes): Verdict {
  const said = notes !== undefined && notes.everything.trim() !== answer.trim() ? notes.everything : null
  const detail = (notes && noted(notes)) || null
  return { outcome: 'completed', reason: null, detail, answer, partial: said, usage: null, background: null }
}

function noted({ toolAfter, longerBefore, hookReasons }: AnswerNotes): string {
  const times = hookReasons.length === 1 ? 'once' : `${hookReasons.length} times`
  return [
    ...(toolAfter ? ['The agent used a tool after it had said this.'] : []),
    ...(longerBefore > 0
      ? [`Before its last tools the agent said something longer (${longerBefore} characters): ${whereAll}.`]
      : []),
    ...(hookReasons.length > 0
      ? [`A Stop hook of the project made the agent go on ${times}${quoted(hookReasons.at(-1))}.`]
      : []),
  ].join(' ')
}

const withReport =
  'The message came while the agent worked by itself on the end of a command in its background, and joined that: the usage is that of both.'

/** The verdict on a result. `partial`: all that was said in the turn. */
export function verdict(result: ClaudeResult, signs: EndingSigns, partial: string): Verdict {
  const { usage, text, notes } = result
  const { reason, detail } = endingOf(result, signs)
  const billed = result.joinedReport ? withReport : ''
  if (reason !== null) {
    const all = [detail, billed].filter(Boolean).join(' ')
    return { ...ended('failed', reason, all, partial), usage }
  }
  const whole = recovered(text, notes)
  const all = [whole.detail, detail, withoutServers(signs), billed]
  return { ...whole, detail: all.filter(Boolean).join(' ') || null, usage }
}

/** The agent may have answered without what only these could tell it. */
function withoutServers({ missingServers }: EndingSigns): string {
  const [failed, locked] = [false, true].map((needsLogin) =>
    missingServers.filter((server) => server.needsLogin === needsLogin).map(({ name }) => name),
  )
  return [
    ...(failed!.length > 0
      ? [`The agent answered without MCP servers that did not start: ${failed!.join(', ')}.`]
      : []),
    ...(locked!.length > 0 ? [`The agent answered without MCP servers that need a login: ${locked!.join(', ')}.`] : []),
  ].join(' ')
}

const toldAsTheyAre = [
  'account_unusable',
  'breaker_open',
  'host_unreachable',
  'session_creation_failed',
  'session_held',
  'transcript_unreadable',
  'unknown_agent',
] as const

/** The reason of a turn that could not be delivered to Claude Code. */
export function reasonOfFault(error: unknown): Reason {
  if (!(error instanceof IrisError)) return 'internal'
  if (error.code === 'no_free_process' || error.code === 'too_many_starts') return 'queue_timeout'
  return toldAsTheyAre.find((code) => code === error.code) ?? 'spawn_failed'
}
