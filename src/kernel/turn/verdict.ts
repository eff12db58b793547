import type { AnswerNotes } from '../../base/agent/answer.ts'
import type { ClaudeResult } from '../../base/agent/run-result.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { whereAll } from '../../base/protocol/reasons.ts'
import type { Cancellation, Reason } from '../../base/protocol/turn.ts'
import { continued } from '../../claude/driver/answer.ts'
import type { EndingSigns } from '../../claude/driver/ending-signs.ts'
import { endingOf, quoted } from '../../claude/driver/endings.ts'
import type { Turn, TurnEnd } from './turn.ts'

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

/**
 * The verdict on a turn that was cancelled, that used up a budget, or that ends because Iris is stopping. In the last
 * case, the worker leaves the turn to the next start.
 */
export function stopped({ cancelled, partialText }: Pick<Turn, 'cancelled' | 'partialText'>): Verdict {
  if (!cancelled.aborted) return ended('failed', 'interrupted', 'Iris stops.', partialText)
  return endedBy(cancelled.reason as Cancellation, partialText)
}

export function endedBy({ reason, detail }: Cancellation, partial: string): Verdict {
  return ended(reason === 'over_budget' ? 'failed' : 'cancelled', reason, detail, partial)
}

/** An answer found in the transcript after the process ended. Its usage was lost with the result line. */
export function recovered(answer: string, notes?: AnswerNotes): Verdict {
  const said = notes !== undefined && notes.everything.trim() !== answer.trim() ? notes.everything : null
  const detail = (notes && noted(notes)) || null
  return { outcome: 'completed', reason: null, detail, answer, partial: said, usage: null, background: null }
}

function noted({ toolAfter, longerBefore, hookReasons, joinsStopped = 0 }: AnswerNotes): string {
  const times = hookReasons.length === 1 ? 'once' : `${hookReasons.length} times`
  return [
    ...(toolAfter ? ['The agent used a tool after it had said this.'] : []),
    ...(longerBefore > 0
      ? [`Before its last tools the agent said something longer (${longerBefore} characters): ${whereAll}.`]
      : []),
    ...(hookReasons.length > 0
      ? [`A Stop hook of the project made the agent continue ${times}${quoted(hookReasons.at(-1))}.`]
      : []),
    ...(joinsStopped > 0
      ? [`A hook of the project stopped ${counted(joinsStopped)} that joined this one, before the agent read it.`]
      : []),
  ].join(' ')
}

function counted(messages: number): string {
  return messages === 1 ? 'a message' : `${messages} messages`
}

/** The text of paused replies before the last delivery. */
export interface PausedSpeech {
  /** The text that the next reply continues. Empty if the agent used a tool after it. */
  readonly text: string
  /** Includes the text that was said before tools. */
  readonly everything: string
}

export const nothingPaused: PausedSpeech = { text: '', everything: '' }

/** Adds a paused reply. */
export function pausedAfter(before: PausedSpeech, { text, notes }: Pick<ClaudeResult, 'text' | 'notes'>): PausedSpeech {
  const everything = notes?.everything ?? text
  const isOne = everything.trim() === text.trim()
  return {
    text: notes?.toolAfter === true ? '' : isOne ? continued(before.text, text) : text,
    everything: continued(before.everything, everything),
  }
}

/**
 * The end of a turn, including the text of paused replies before it. The answer continues that text, unless the agent
 * used a tool in between. In that case, the answer is only the text after the tool.
 */
export function withPaused({ text, everything }: PausedSpeech, end: Verdict): Verdict {
  const { answer, partial, detail } = end
  if (everything === '') return end
  if (answer === null)
    return partial?.includes(everything) ? end : { ...end, partial: continued(everything, partial ?? '') }
  const whole = partial === null ? continued(text, answer) : answer
  const all = continued(everything, partial ?? answer)
  const longerBefore = partial !== null && text.length > whole.length ? text.length : 0
  const note = detail?.includes(whereAll) ? '' : noted({ toolAfter: false, longerBefore, hookReasons: [], everything })
  return {
    ...end,
    answer: whole,
    partial: all.trim() === whole.trim() ? null : all,
    detail: [note, detail].filter(Boolean).join(' ') || null,
  }
}

const withReport =
  'The message came while the agent was dealing with a finished background command, and joined that work. The usage covers both.'

/** The verdict on a result. `partial`: everything that was said in the turn. */
export function verdict(result: ClaudeResult, signs: EndingSigns, partial: string): Verdict {
  const { usage, text, notes } = result
  const { reason, detail } = endingOf(result, signs)
  const billed = result.joinedReport ? withReport : ''
  if (reason !== null) {
    const all = [detail, billed].filter(Boolean).join(' ')
    return { ...ended('failed', reason, all, partial), usage }
  }
  const whole = recovered(text, notes)
  const all = [whole.detail, detail, withoutServers(signs.missingServers), billed]
  return { ...whole, detail: all.filter(Boolean).join(' ') || null, usage }
}

/** The note about missing servers. The agent may have answered without information that only these servers have. */
export function withoutServers(missingServers: EndingSigns['missingServers']): string {
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

/** The reason recorded for a turn that could not be delivered to Claude Code. */
export function reasonOfFault(error: unknown): Reason {
  if (!(error instanceof IrisError)) return 'internal'
  if (error.code === 'no_free_process' || error.code === 'too_many_starts') return 'queue_timeout'
  return toldAsTheyAre.find((code) => code === error.code) ?? 'spawn_failed'
}
