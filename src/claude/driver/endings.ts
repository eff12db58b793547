import type { ReportedEnd } from '../../base/agent/run-result.ts'
import type { Reason } from '../../base/protocol/turn.ts'
import { type EndingSigns, type HookStop, noSigns, type PromptEnd } from './ending-signs.ts'
import {
  apiErrors,
  noStopReason,
  promptEnds,
  type Row,
  stopReasons,
  subtypes,
  terminalReasons,
} from './ending-tables.ts'

/**
 * What the end of a turn means for its asker. Without a reason, the answer is complete and `detail` is a note about it.
 */
export interface Ending {
  readonly reason: Reason | null
  readonly detail: string | null
}

/**
 * Decides how a turn ended. `is_error` counts first, then the end of the prompt, the terminal reason or the subtype,
 * and the stop reason. If a value is in no table, an answer still counts as an answer, with a note. Pure.
 */
export function endingOf(result: ReportedEnd, signs: EndingSigns = noSigns): Ending {
  const row = rowOf(result)
  if (result.isError) return failure(result, signs, row)
  if (signs.prompt !== undefined && result.numTurns === 0) return promptEnding(signs.prompt, signs.hook)
  if (result.deferredTool !== null) return { reason: 'tool_deferred', detail: deferredDetail(result.deferredTool) }
  if (row === undefined) return { reason: null, detail: unknownNote('terminal_reason', result.terminalReason) }
  if (row.means === 'stopped_by_hook') return { reason: row.means, detail: stoppedDetail(signs.hook) }
  if (row.means === 'whole') return { reason: null, detail: endedByHook(signs.hook) }
  if (row.means === 'by stop reason') return byStopReason(result, signs)
  return { reason: row.means, detail: sentences(result.text, row.words) }
}

/** Why Iris makes a further request to an agent that already has the message. */
export type OwnRequest = keyof typeof requests

/** The end of a turn whose agent has the message but did not get Iris's further request. */
interface RequestEnding {
  readonly reason: Reason
  readonly detail: string
  /** What the asker should do if no tool's effect can be in doubt. */
  readonly remedy: string
}

/** How a hook ended a prompt in which Iris itself made a request; undefined if no hook ended it. Pure. */
export function requestEnding(
  { isError, numTurns }: ReportedEnd,
  { prompt, hook }: EndingSigns,
  request: OwnRequest,
): RequestEnding | undefined {
  if (isError || numTurns !== 0 || prompt === undefined) return undefined
  const { before, what, remedy } = requests[request]
  const { reason, words } = hookOf(prompt, hook)
  const action = reason === 'stopped_by_hook' ? 'stopped the turn at' : 'blocked'
  const detail = `${before}, and a UserPromptSubmit hook ${action} Iris's request ${what}${words}. The agent has the message itself; what it had said is in the partial response. ${whoMayChangeIt}`
  return { reason, detail, remedy }
}

/** Whether the API refused the conversation because, with the message, it is longer than the model takes at once. */
export function isTooLong(result: ReportedEnd): boolean {
  return result.isError && (rowOf(result)?.isTooLong === true || /prompt is too long/i.test(result.text))
}

/** Whether a turn that was asked to end did so without an answer. After a Stop hook, that is not an error. */
export function wasInterrupted({ isError, terminalReason }: ReportedEnd): boolean {
  return isError || terminalReason === 'aborted_streaming' || terminalReason === 'aborted_tools'
}

/** Whether a hook kept the message out of the conversation. */
export function isKeptOut({ isError, numTurns }: ReportedEnd, { prompt }: EndingSigns): boolean {
  return !isError && numTurns === 0 && prompt?.isKept === false
}

/** Whether the text of the result is incomplete. */
export function isUnfinished(result: ReportedEnd): boolean {
  return endingOf(result).reason !== null
}

function rowOf({ terminalReason, subtype }: ReportedEnd): Row | undefined {
  if (terminalReason !== null) return find(terminalReasons, terminalReason)
  return find(subtypes, subtype) ?? subtypes.success
}

function byStopReason({ stopReason, numTurns }: ReportedEnd, { hook }: EndingSigns): Ending {
  const note = endedByHook(hook)
  if (stopReason === undefined || (stopReason === null && numTurns === 0)) return { reason: null, detail: note }
  const row = stopReason === null ? noStopReason : find(stopReasons, stopReason)
  if (row === undefined) return { reason: null, detail: unknownNote('stop_reason', stopReason) }
  const reason = reasonIn(row)
  if (reason === undefined) return { reason: null, detail: note }
  return { reason, detail: reason === 'paused' ? pausedTwice : (row.words ?? null) }
}

function failure(result: ReportedEnd, { error, retriedStatus }: EndingSigns, row: Row | undefined): Ending {
  const status = result.apiErrorStatus ?? retriedStatus
  const said = result.text || result.subtype
  const named = find(apiErrors, result.apiError ?? error ?? '')
  const reason = failureReason(said, status, result, named, row, error)
  const words = reason === 'cut' ? apiErrors.max_output_tokens.words : (named?.words ?? row?.words)
  return { reason, detail: sentences(said, remedies[reason] ?? inBrackets(words)) }
}

function failureReason(
  said: string,
  status: number | null,
  { stopReason, apiError }: ReportedEnd,
  named: Row | undefined,
  row: Row | undefined,
  error: string | undefined,
): Reason {
  if (notLoggedIn.test(said) || status === 401 || status === 403) return 'api_auth'
  if (status === 429) return 'api_rate_limited'
  if (status === 529) return 'api_overloaded'
  if (stopReason === 'refusal') return 'model_refusal'
  if (brokenOff.test(said)) return 'cut'
  if (named !== undefined) return reasonIn(named) ?? 'api_error'
  const ofRow = row && reasonIn(row)
  if (ofRow !== undefined && ofRow !== 'turn_error') return ofRow
  return status !== null || error !== undefined || apiError !== undefined ? 'api_error' : 'turn_error'
}

function reasonIn({ means }: Row): Reason | undefined {
  return means === 'whole' || means === 'by stop reason' ? undefined : means
}

/** The CLI's text when it has no login. The CLI then calls no API, so there is no status. */
const notLoggedIn = /^not logged in\b|please run \/login/i

/** The text of 2.1.330 for a stream that broke repeatedly after the model had already said something. */
const brokenOff = /^API Error: .*\bmid-response\b/

const remedies: Partial<Record<Reason, string>> = {
  api_auth: '(Log in with claude in a terminal on its machine, or correct ANTHROPIC_API_KEY, then ask again.)',
  api_rate_limited: '(The account is over its rate limit; ask again later.)',
  api_overloaded: '(The API is overloaded; ask again later.)',
  model_refusal: '(The same message would be refused again: rephrase it, or ask for something else.)',
}

/** The detail for a reply that was paused again after Iris asked the agent to continue. */
export const pausedTwice =
  'The API paused the reply, and paused it again after Iris asked the agent to continue. What was said is in the partial response. Ask in the same conversation for the rest.'

function deferredDetail(tool: string): string {
  return `A hook of the project postponed ${tool} ("permissionDecision": "defer"), so the agent stopped before it. Claude Code may run the tool by itself when it resumes the conversation, and this turn then reports the outcome; or the tool never runs. Do not send the message again, or the tool may run twice: ask the agent in the same conversation whether it ran. The owner of the project may let the hook allow or deny the tool.`
}

/** A hook can come from one of several settings files, and Claude Code does not say from which one. */
export const whoMayChangeIt =
  'You cannot change this as an agent. The owner of the project finds the hook with /hooks in claude there, and must change it.'

const goesOn = { what: 'to go on', remedy: 'Then ask the agent in the same conversation to continue.' }

const requests = {
  interruption: { before: 'Claude Code had ended in the middle of the turn', ...goesOn },
  pause: { before: 'The API paused the reply', ...goesOn },
  limit: { before: 'The account was over its limit, or its login was refused, in the middle of the turn', ...goesOn },
  value: {
    before: 'The agent returned no value that matches the requested schema',
    what: 'for the value',
    remedy: 'Then ask the agent in the same conversation for the value.',
  },
} as const

function hookOf({ kind, reason }: PromptEnd, hook: HookStop | undefined): { reason: Reason; words: string } {
  const row = find(promptEnds, kind) ?? promptEnds.blocked_by_hook
  const own = reason ?? (hook?.event === 'UserPromptSubmit' ? hook.reason : undefined)
  return { reason: reasonIn(row) ?? 'blocked_by_hook', words: quoted(own) }
}

function promptEnding(prompt: PromptEnd, hook: HookStop | undefined): Ending {
  const { reason, words } = hookOf(prompt, hook)
  const where = prompt.isKept
    ? 'The message is in the conversation, and the agent reads it with the next one.'
    : 'The agent has not received the message.'
  const what = reason === 'stopped_by_hook' ? 'stopped the turn before the agent could answer' : 'blocked the message'
  const detail = `A UserPromptSubmit hook ${what}${words}. ${where} ${whoMayChangeIt} Then ask again, or rephrase it so that the hook accepts it.`
  return { reason, detail }
}

function stoppedDetail(hook: HookStop | undefined): string {
  const which = hook === undefined ? 'A hook' : `A ${hook.event} hook (${hook.name})`
  return `${which} stopped the turn${quoted(hook?.reason)}. What the agent had said before is in the partial response. ${whoMayChangeIt} Then ask the agent to continue.`
}

/** The note for an answer at whose end a Stop hook intervened. Null if no Stop hook did. */
function endedByHook(hook: HookStop | undefined): string | null {
  if (hook?.event !== 'Stop') return null
  const what = hook.isEnd ? 'ended the turn after this answer' : 'had asked the agent to continue'
  return `A Stop hook of the project ${what}${quoted(hook.reason)}.`
}

function unknownNote(field: string, value: string | null): string {
  return `Claude Code ended the turn in a way that this Iris does not know (${field}: ${value}), so the answer may be incomplete.`
}

/** A reason for use inside a sentence, without its own full stop. */
export function quoted(reason: string | undefined): string {
  const words = reason?.slice(0, maxReason).toWellFormed().replace(/\.$/, '')
  // JSON quoting keeps a hook's text, with its quotes and line breaks, from looking like Iris's own.
  return words === undefined || words === '' ? '' : `: ${JSON.stringify(words)}`
}

/** How many characters of a reason are quoted. */
const maxReason = 1000

function inBrackets(words: string | undefined): string | undefined {
  return words === undefined ? undefined : `(${words})`
}

function sentences(...all: readonly (string | undefined)[]): string {
  return all.filter((each) => each !== undefined && each !== '').join(' ')
}

function find(table: Readonly<Record<string, Row>>, value: string): Row | undefined {
  return Object.hasOwn(table, value) ? table[value] : undefined
}
