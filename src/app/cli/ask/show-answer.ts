import type { Readable } from 'node:stream'
import { terminalSafe } from '../../../base/lib/visible.ts'
import type { TurnResult } from '../../../base/protocol/turn.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { call } from '../call.ts'
import { daemonEvents, type StreamEvent } from '../daemon-events.ts'
import { goesOn, interrupted, notAnswered } from '../exit-code.ts'
import { choose, isInteractive } from '../prompt.ts'
import { note, say, sayJson } from '../say.ts'
import { endOf } from './follow-turn.ts'
import { LiveAnswer } from './live-answer.ts'

export interface AnswerOptions {
  /** 0: until it ends. */
  readonly timeoutMs: number
  readonly json: boolean
  /** Who has the keys of the terminal. Default: whoever asks for some. */
  readonly keyboard?: KeyLender
}

interface KeyLender {
  lendTo<Answer>(prompt: (keys: Readable) => Promise<Answer>): Promise<Answer>
}

/** So much of an id is shown, and enough to name it by. */
export function shortOf(id: string): string {
  return id.slice(0, 8)
}

class LeftRunning extends Error {}

/**
 * Waits for the answer to a message and shows it, on a terminal while it comes; resolves with the exit code. Ctrl-C asks
 * there whether to cancel the message or to leave it running; elsewhere it is left.
 */
export async function showAnswer(
  env: Environment,
  turnId: string,
  { timeoutMs, json, keyboard }: AnswerOptions,
): Promise<number> {
  const ended = new AbortController()
  const live = !json && process.stdout.isTTY ? new LiveAnswer((text) => process.stdout.write(text)) : undefined
  const onInterrupt = (): void => void interrupt(env, turnId, { live, ended, keyboard })
  process.on('SIGINT', onInterrupt)
  try {
    if (live) void showLive(daemonEvents(env, `turn=${turnId}`, ended.signal), turnId, live)
    const result = await endOf(env, turnId, timeoutMs, ended.signal)
    ended.abort()
    if (json) sayJson(result)
    else showEnd(result, live)
    return exitCodeOf(result)
  } catch (error) {
    if (!(error instanceof LeftRunning)) throw error
    note(`It goes on. Collect the answer with "iris result ${shortOf(turnId)}".`)
    return interrupted
  } finally {
    ended.abort()
    process.off('SIGINT', onInterrupt)
  }
}

async function showLive(events: AsyncIterable<StreamEvent>, turnId: string, live: LiveAnswer): Promise<void> {
  for await (const event of events) {
    if (event.type === 'turn-text') live.says(event.at, event.text)
    if (event.type === 'snapshot') {
      const running = event.turns.find((turn) => turn.turnId === turnId)
      if (running) live.says(0, running.text)
    }
    if (event.type === 'permission:request' && event.permission.turnId === turnId) {
      note(
        `\n${event.permission.team} asks whether it may use ${event.permission.toolName}. Answer in another terminal: "iris permissions".`,
      )
    }
  }
}

interface Interrupted {
  readonly live: LiveAnswer | undefined
  readonly ended: AbortController
  readonly keyboard: KeyLender | undefined
}

/** The answer may come while the person still thinks; then there is nothing to decide any more. */
async function interrupt(env: Environment, turnId: string, { live, ended, keyboard }: Interrupted): Promise<void> {
  if (!isInteractive()) return ended.abort(new LeftRunning())
  live?.hold()
  const ask = (keys?: Readable) => choose(question, choices, { signal: ended.signal, keys })
  const choice = await (keyboard === undefined ? ask() : keyboard.lendTo(ask))
  live?.goOn()
  if (ended.signal.aborted || choice === 'wait') return
  if (choice === 'cancel') await call(env, 'session_cancel', { turnId }).catch((error: Error) => note(error.message))
  else ended.abort(new LeftRunning())
}

const question = 'The message is still being answered.'
const choices = [
  { value: 'wait', label: 'Go on waiting' },
  { value: 'cancel', label: 'Cancel it' },
  { value: 'leave', label: 'Leave it running' },
] as const

const endings = {
  failed: 'The message failed',
  timed_out: 'The message timed out',
  cancelled: 'The message was cancelled',
  in_doubt: 'Nobody knows whether the message was answered',
} as const

function showEnd(result: TurnResult, live: LiveAnswer | undefined): void {
  const { status, turnId, response, partialResponse, reason, detail, contextReset, waitsForPermission } = result
  const text = response ?? (live ? undefined : partialResponse)
  if (live) live.ends(response ?? partialResponse ?? '')
  else if (text !== undefined) say(text)
  if (contextReset !== undefined) note(`(${contextReset})`)
  for (const { command } of result.background ?? []) note(`(Still running in the background: ${terminalSafe(command)})`)
  if (status === 'completed') return
  if (status === 'async' || status === 'mcp_timeout') {
    if (waitsForPermission !== undefined)
      note(`It waits until somebody allows ${waitsForPermission}: "iris permissions".`)
    return note(`No answer yet; the work goes on. Collect it with "iris result ${shortOf(turnId)}".`)
  }
  const why = reason === undefined || reason === status ? '' : ` (${reason})`
  note(`error: ${endings[status]}${why}.\n${detail ?? ''}`.trimEnd())
}

function exitCodeOf({ status }: TurnResult): number {
  if (status === 'completed') return 0
  return status === 'async' || status === 'mcp_timeout' ? goesOn : notAnswered
}
