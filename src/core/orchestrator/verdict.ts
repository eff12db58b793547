import { IrisError } from '../../base/protocol/error.ts'
import type { Cancellation, Reason } from '../../base/protocol/turn.ts'
import type { AnswerNotes } from '../../claude/driver/answer.ts'
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
  const said = notes !== undefined && notes.longerBefore > 0 ? notes.everything : null
  const detail = notes === undefined ? null : noted(notes)
  return { outcome: 'completed', reason: null, detail, answer, partial: said, usage: null, background: null }
}

const whereAll = 'message_status with everything: true has it, and so has "iris result --everything"'

function noted({ toolAfter, longerBefore, hookBlocks }: AnswerNotes): string {
  const times = hookBlocks === 1 ? 'once' : `${hookBlocks} times`
  return [
    ...(toolAfter ? ['The agent used a tool after it had said this.'] : []),
    ...(longerBefore > 0
      ? [`The agent said something longer (${longerBefore} characters) before its last tools: ${whereAll}.`]
      : []),
    ...(hookBlocks > 0 ? [`A Stop hook of the project made the agent go on ${times}.`] : []),
  ].join(' ')
}

/**
 * Decides by `is_error`, never by the subtype, which is `success` for a refused API key too. `retriedStatus`: the last
 * HTTP status that the CLI retried, for builds that omit the status from the result.
 */
export function verdict(result: ClaudeResult, retriedStatus: number | null, partial: string): Verdict {
  const { usage, deferredTool } = result
  if (deferredTool !== null)
    return { ...ended('failed', 'tool_deferred', deferredDetail(deferredTool), partial), usage }
  if (!result.isError) return { ...recovered(result.text, result.notes), usage }
  const status = result.apiErrorStatus ?? retriedStatus
  const said = result.text || result.subtype
  const reason = notLoggedIn.test(said) ? 'api_auth' : reasonOf(status, result.terminalReason)
  const remedy = remedies[reason] ?? ''
  return { ...ended('failed', reason, `${said} ${remedy}`.trim(), partial), usage }
}

function deferredDetail(tool: string): string {
  return `A hook of the project put ${tool} off ("permissionDecision": "defer"), so the agent stopped before it. Claude Code runs the tool when it resumes the conversation; what follows is reported with this turn. Change the hook to allow or deny the tool, then ask again.`
}

function reasonOf(status: number | null, terminalReason: string | null): Reason {
  if (status === 401 || status === 403) return 'api_auth'
  if (status === 429) return 'api_rate_limited'
  if (status === 529) return 'api_overloaded'
  return status !== null || terminalReason === 'api_error' ? 'api_error' : 'turn_error'
}

/** The CLI's text without a login. It calls no API then, so there is no status. */
const notLoggedIn = /^not logged in\b|please run \/login/i

const remedies: Partial<Record<Reason, string>> = {
  api_auth: '(Log in with claude in a terminal on its machine, or correct ANTHROPIC_API_KEY, then ask again.)',
  api_rate_limited: '(The account is over its rate limit; ask again later.)',
  api_overloaded: '(The API is overloaded; ask again later.)',
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
