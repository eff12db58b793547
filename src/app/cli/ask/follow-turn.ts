import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { type ErrorCode, IrisError } from '../../../base/protocol/error.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { overRestarts } from './over-restarts.ts'

interface Wait {
  /** In milliseconds; 0 for no limit. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** How long to wait for a daemon that was stopped and may be started again, milliseconds. */
  readonly patienceMs?: number
}

/**
 * Waits for the end of a turn. Returns the turn's result, or its state when the time is over. `fromTeam` is the asker,
 * who is informed about changed files. Restarts a daemon that died, and waits for one that is being restarted: both
 * continue accepted messages. Throws the signal's reason, `daemon_unreachable`, and the daemon's refusals. An error
 * that leaves the turn unanswered contains the turn's id.
 */
export async function endOf(
  context: CommandContext,
  turn: Pick<Input<'message_status'>, 'turnId' | 'fromTeam' | 'from' | 'everything'>,
  { timeoutMs, signal, patienceMs }: Wait,
): Promise<Output<'message_status'>> {
  const began = systemClock.elapsed()
  // If no daemon has been used yet, nobody has confirmed the id that the user typed.
  const isKnown = context.usedHomes.size > 0
  const status = (): Promise<Output<'message_status'>> => {
    const left = timeoutMs > 0 ? Math.max(1, Math.round(timeoutMs - (systemClock.elapsed() - began))) : timeoutMs
    return call(context, 'message_status', { ...turn, timeout: left }, { signal })
  }
  try {
    return await overRestarts(signal, status, patienceMs)
  } catch (error) {
    throw isKnown && error instanceof IrisError && !ofTheTurn.includes(error.code)
      ? accepted(error, turn.turnId)
      : error
  }
}

/** Refusals because of the turn's id or the caller. */
const ofTheTurn: readonly ErrorCode[] = ['unknown_turn', 'invalid_input', 'not_allowed', 'unauthorized']

/** The error for a wait that ended before the message did; it names the id under which the answer can be collected. */
function accepted(cause: IrisError, turnId: string): IrisError {
  const { code, message, remedy } = cause
  const what = `${message} The message was accepted: it is turn ${turnId}.`
  return new IrisError(code, what, `${remedy} Then collect the answer: "iris result ${turnId} --timeout 0".`, { cause })
}
