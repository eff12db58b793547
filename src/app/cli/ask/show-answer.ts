import type { Connection } from '../../../adapters/client/event-stream.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { terminalSafe } from '../../../base/lib/visible.ts'
import { limitWords } from '../../../base/protocol/limit.ts'
import { whereAll } from '../../../base/protocol/reasons.ts'
import type { AnswerPart, Report, TurnResult } from '../../../base/protocol/turn.ts'
import { waitsForText } from '../../../base/protocol/waits-for-text.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { daemonEvents } from '../daemon-events.ts'
import { interrupted, notAnswered, stillRunning, terminated } from '../exit-code.ts'
import { localTime, localTimes } from '../moment.ts'
import { choose } from '../prompt.ts'
import { endOf } from './follow-turn.ts'
import { LiveAnswer } from './live-answer.ts'
import type { LiveLine } from './live-line.ts'
import { Progress } from './progress.ts'
import { type KeyLender, Prompts, QuestionsHere } from './questions-here.ts'

export interface AnswerOptions {
  /** How long to wait, in milliseconds; 0 to wait until the turn ends. */
  readonly timeoutMs: number
  readonly json: boolean
  /** Lends the keys of the terminal to prompts. Default: each prompt reads stdin itself. */
  readonly keyboard?: KeyLender
  /** Undefined when stdout is not a terminal, or when a program reads it. */
  readonly screen: LiveLine | undefined
  /** The asker; undefined when someone else may have asked. */
  readonly speaker?: string
  /** Whether to show everything that the agent said; otherwise only its answer is shown. */
  readonly everything?: boolean | undefined
  /** Where the requested part of the text begins. Undefined for the whole text. */
  readonly from?: number | undefined
}

/** A message, with its pair and thread where they are known. `kept`: its answer was given before. */
export type Shown = Pick<TurnResult, 'turnId'> & Partial<Pick<TurnResult, 'from' | 'to' | 'thread' | 'kept'>>

/** The wait ended before the message did; `exitCode` shows why. */
export class LeftRunning extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super()
    this.exitCode = exitCode
  }
}

/**
 * Waits for the answer to a message and shows it, on a terminal while it grows; resolves with the exit code. On Ctrl-C
 * a person at a terminal chooses whether to cancel the message; otherwise the message is left running, as on SIGTERM.
 */
export async function showAnswer(
  context: CommandContext,
  message: Shown,
  { timeoutMs, json, keyboard, screen, speaker, from, everything }: AnswerOptions,
): Promise<number> {
  const { turnId, kept } = message
  const ended = new AbortController()
  const live = screen && new LiveAnswer(screen)
  const prompts = new Prompts(live, keyboard)
  const onInterrupt = (): void => void interrupt(context, turnId, { prompts, ended })
  const onTerminate = (): void => ended.abort(new LeftRunning(terminated))
  const stops = [context.onSignal('SIGINT', onInterrupt), context.onSignal('SIGTERM', onTerminate)]
  try {
    const questions =
      live && context.isInteractive ? new QuestionsHere(context, { turnId, prompts, over: ended.signal }) : undefined
    if (live) void showLive(context, { message, live, screen, questions, over: ended.signal })
    const result = {
      ...(await endOf(context, { turnId, fromTeam: speaker, from, everything }, { timeoutMs, signal: ended.signal })),
      ...(kept && { kept }),
    }
    ended.abort()
    screen?.shows(() => undefined)
    if (json) context.sayJson(result)
    else showEnd(context, result, live)
    return exitCodeOf(result)
  } catch (error) {
    if (!(error instanceof LeftRunning)) throw error
    context.note(leftText(turnId))
    return error.exitCode
  } finally {
    ended.abort()
    for (const stop of stops) stop()
  }
}

export function leftText(turnId: string): string {
  return `It is still running. Collect the answer with "iris result ${shortId(turnId)}".`
}

interface Live {
  readonly message: Shown
  readonly live: LiveAnswer
  readonly screen: LiveLine
  /** Undefined if no person can answer here. */
  readonly questions: QuestionsHere | undefined
  readonly over: AbortSignal
}

async function showLive(context: CommandContext, { message, live, screen, questions, over }: Live): Promise<void> {
  const { turnId, from, to, thread } = message
  const isKnown = from !== undefined && to !== undefined && thread !== undefined
  const progress = isKnown ? new Progress({ turnId, from, to, thread }) : undefined
  // The place in the queue depends on the other messages of the pair, so this follows the whole team.
  const query = isKnown ? `team=${encodeURIComponent(to)}` : `turn=${turnId}`
  const onConnection = (connection: Connection): void => progress?.connected(connection === 'live')
  for await (const event of daemonEvents(context.env, query, over, onConnection)) {
    if (over.aborted) return
    progress?.take(event, systemClock.now())
    if (event.type === 'snapshot') {
      const running = event.turns.find((turn) => turn.turnId === turnId)
      if (running) live.says(0, running.text)
      if (progress) screen.shows(() => progress.text(systemClock.now()))
      void questions?.askWaiting()
    }
    if (event.type === 'turn-text' && event.turnId === turnId) live.says(event.at, event.text)
    if (event.type === 'permission:request') questions?.ask(event.permission)
    if (event.type === 'permission:resolved' || event.type === 'permission:timeout')
      questions?.decided(event.permission)
  }
}

interface Interrupted {
  readonly prompts: Prompts
  readonly ended: AbortController
}

/** If the answer arrives while the person is choosing, the choice has no effect. */
async function interrupt(context: CommandContext, turnId: string, { prompts, ended }: Interrupted): Promise<void> {
  if (!context.isInteractive) return ended.abort(new LeftRunning(interrupted))
  const choice = await prompts.show((keys) => choose(context, whatNow, choices, { signal: ended.signal, keys }))
  if (ended.signal.aborted || choice === 'wait') return
  if (choice === 'cancel')
    await call(context, 'session_cancel', { turnId }).catch((error: Error) => context.note(error.message))
  else ended.abort(new LeftRunning(interrupted))
}

const whatNow = 'The message is still being answered.'
const choices = [
  { value: 'wait', label: 'Keep waiting' },
  { value: 'cancel', label: 'Cancel it' },
  { value: 'leave', label: 'Leave it running' },
] as const

const endings = {
  failed: 'The message failed',
  timed_out: 'The message timed out',
  cancelled: 'The message was cancelled',
  in_doubt: 'It is unknown whether the message was answered',
} as const

/** The note of a kept answer, as programs read it, but with its time in local time. */
function keptText({ answeredAt, note: said }: NonNullable<TurnResult['kept']>): string {
  return said.replace(new Date(answeredAt).toISOString(), localTime(answeredAt))
}

/** Which part of the text was printed, and how to get the next one. */
function partText({ from, next, length }: AnswerPart, turnId: string): string {
  const more = next === undefined ? '' : ` Next: iris result ${shortId(turnId)} --from ${next}`
  return `(Characters ${from} to ${next ?? length} of ${length}.${more})`
}

type ShownResult = TurnResult & { readonly part?: AnswerPart | undefined; readonly everything?: string | undefined }

export function showEnd(context: CommandContext, result: ShownResult, live: LiveAnswer | undefined): void {
  const { status, turnId, partialResponse, reason, detail, contextReset, waitsForPermission } = result
  const response = result.everything ?? result.response
  // Without a live terminal, a program reads the value, so the response is not printed as well.
  const value = result.value === undefined ? undefined : JSON.stringify(result.value, null, 2)
  const text = value ?? response ?? (live ? undefined : partialResponse)
  if (live) live.ends([response ?? partialResponse, value].filter(Boolean).join('\n'))
  else if (text !== undefined) context.sayAsWritten(text)
  if (result.part !== undefined) context.note(partText(result.part, turnId))
  if (contextReset !== undefined) context.note(`(${contextReset})`)
  if (result.kept !== undefined) context.note(`(${keptText(result.kept)})`)
  if (result.otherModel !== undefined) context.note(otherModelText(result.otherModel))
  for (const { command } of result.background ?? [])
    context.note(`(Left running when it answered: ${terminalSafe(command)})`)
  for (const report of result.reports ?? []) context.note(reportText(report, turnId))
  for (const file of result.changedSince ?? []) context.note(`(${changedLine(file)})`)
  if (status === 'completed') return showDetail(context, result)
  if (status === 'async' || status === 'mcp_timeout') {
    if (waitsForPermission !== undefined)
      context.note(`It waits until somebody allows ${waitsForPermission}: "iris permissions".`)
    if (result.limitedUntil !== undefined) context.note(limitNote(result))
    const { waitsFor } = result
    // For these two kinds, the notes above have said more.
    if (waitsFor !== undefined && waitsFor.kind !== 'question' && waitsFor.kind !== 'limit')
      context.note(`It waits. ${terminalSafe(waitsForText(waitsFor))}.`)
    if (result.stuck !== undefined) context.note(`It isn't making progress: ${terminalSafe(result.stuck)}.`)
    return context.note(`No answer yet; the work continues. Collect it with "iris result ${shortId(turnId)}".`)
  }
  const why = reason === undefined || reason === status ? '' : ` (${reason})`
  context.note(`error: ${endings[status]}${why}.\n${detail ?? ''}`.trimEnd())
}

/** Tells a person at a terminal which command shows the whole text, unless that is shown already. */
function showDetail(context: CommandContext, { turnId, reason, detail = '', everything }: ShownResult): void {
  const there = everything === undefined ? `: iris result ${shortId(turnId)} --everything` : '.'
  const shown = detail.replace(`: ${whereAll}.`, there)
  const code = reason === undefined ? '' : `${reason}: `
  if (shown !== '') context.note(`(${code}${terminalSafe(shown)})`)
}

export function limitNote({ limitedBy, limitedUntil = 0 }: Pick<TurnResult, 'limitedBy' | 'limitedUntil'>): string {
  return `The account: ${limitWords(limitedBy, limitedUntil, localTimes())}. The message then continues by itself.`
}

function otherModelText({ model, configured, why }: NonNullable<TurnResult['otherModel']>): string {
  return terminalSafe(
    `(Answered by ${model} instead of ${configured}.${why === undefined ? '' : ` ${plainLine(why, 300)}`})`,
  )
}

/** What an agent said after the answer that is shown, or after an earlier answer in the conversation. */
function reportText({ turnId, kind, text }: Report, shown: string): string {
  const whose = turnId === shown ? 'this answer' : `the answer of turn ${shortId(turnId)}`
  if (kind === 'ended') return `(Ended with the process that ran it, after ${whose}: ${plainLine(text, 200)})`
  return `(Reported after ${whose}:)\n${terminalSafe(text)}`
}

function changedLine({ path, message, commit }: NonNullable<TurnResult['changedSince']>[number]): string {
  const asked = plainLine(message, 60)
  const by = commit === undefined ? '' : ` in ${commit.slice(0, 8)}`
  return terminalSafe(`${path} has changed${by} since the answer to "${asked}". All: iris insight drift`)
}

function exitCodeOf({ status }: TurnResult): number {
  if (status === 'completed') return 0
  return status === 'async' || status === 'mcp_timeout' ? stillRunning : notAnswered
}
