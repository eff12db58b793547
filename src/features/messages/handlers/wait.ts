import { every } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { waitsForText } from '../../../base/protocol/waits-for-text.ts'
import type { TurnHandle, TurnStatus, Turns } from '../../../kernel/accept/turn-handle.ts'
import type { Waits } from '../../../kernel/accept/waits.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { isNamed } from '../../../kernel/call/policy.ts'
import { progressText } from '../../../kernel/turn/progress.ts'
import type { Machines } from '../../../platform/machine/machine.ts'
import { type AccountsParts, hearLimits, type Limits } from '../../accounts/handlers.ts'
import { permissionAwaited } from '../../permission/handlers/permission-awaited.ts'
import type { Questions } from '../../permission/questions.ts'
import { maxTimeoutMs } from '../contract/messages.ts'
import { stuckText } from './stuck-text.ts'

/** The dependencies of these operations. */
export interface WaitParts extends AccountsParts {
  readonly machines: Machines
  readonly questions: Questions
  readonly waits: Waits
}

/** A waiting caller gets progress at least this often, or its client assumes that the connection is dead. */
const heartbeatMs = 15_000
/** Interval of progress while a turn's machine is unreachable, so that people see the time pass. */
const unreachableMs = 5_000

/** Returns a valid timeout: -1, 0, or up to `longestTimeoutMs` milliseconds. Throws `timeout_out_of_range`. */
export function checkedTimeout(timeout: number): number {
  if (timeout >= -1 && timeout <= maxTimeoutMs) return timeout
  throw new IrisError(
    'timeout_out_of_range',
    `A timeout of ${timeout} ms is out of range.`,
    `Use -1 (do not wait), 0 (wait until it ends), or 1 to ${maxTimeoutMs}.`,
  )
}

/** The timeout, limited to what the call's transport allows. A wait without a limit (0) becomes a limited one. */
export function heldTimeout(timeout: number, { maxWaitMs }: Pick<Call, 'maxWaitMs'>): number {
  if (maxWaitMs === undefined || timeout === -1) return timeout
  return timeout === 0 ? maxWaitMs : Math.min(timeout, maxWaitMs)
}

interface Waiting extends Pick<WaitParts, 'clock'>, Limits {
  readonly machines: Pick<WaitParts['machines'], 'linkOf'>
  readonly turns: Pick<Turns, 'living'>
  readonly questions: Pick<WaitParts['questions'], 'asked$' | 'ofTurn'>
  readonly waits: Pick<Waits, 'of'>
}

/**
 * Waits for a turn: until it ends if `timeoutMs` is 0, otherwise at most `timeoutMs`. Returns early if the caller
 * leaves, or if the turn waits for an account limit that lasts longer than the timeout.
 */
export async function waitFor(
  turn: TurnHandle,
  timeoutMs: number,
  { auth, signal, progress }: Call,
  waiting: Waiting,
): Promise<TurnStatus | undefined> {
  const { clock, questions } = waiting
  const status = await turn.status()
  if (status === undefined || 'row' in status || status.live.end !== undefined || signal.aborted) return status
  const over = new AbortController()
  const leave = (): void => over.abort()
  const cancelTimer = timeoutMs > 0 ? clock.after(timeoutMs, leave) : () => {}
  signal.addEventListener('abort', leave)
  const say = (message: string): void => {
    if (!over.signal.aborted) progress({ turnId: turn.id, message })
  }
  const sayPermission = async (otherwise?: string): Promise<void> => {
    const awaited = await permissionAwaited(turn.id, waiting)
    const trouble = awaited === undefined ? await troubleOf(turn.id, waiting, isNamed(auth.principal)) : undefined
    if (trouble !== undefined) return say(trouble)
    if (awaited !== undefined) say(`Waiting for permission: ${awaited}. A person answers it with "iris permissions".`)
    else if (otherwise !== undefined) say(otherwise)
  }
  const ended = turn.wait({
    until: over.signal,
    asker: auth.parent?.turnId,
    hear: (line) => {
      const text = progressText(line)
      if (text !== undefined) say(text)
    },
  })
  void sayPermission(
    status.live.dispatchedAt === null
      ? `Turn ${turn.id} was accepted and is waiting in the queue.`
      : `Turn ${turn.id} is in progress.`,
  )
  const sayUnreachable = async (): Promise<void> => {
    const text = await unreachableText(turn.id, waiting)
    if (text !== undefined) say(text)
  }
  const endLook = every(clock, unreachableMs, () => void sayUnreachable())
  const endHeartbeat = every(clock, heartbeatMs, () => void sayPermission(`Turn ${turn.id} continues.`))
  const asked = questions.asked$.subscribe(() => void sayPermission())
  const deadline = timeoutMs > 0 ? clock.now() + timeoutMs : Number.POSITIVE_INFINITY
  const endLimits = hearLimits(turn.id, waiting, (text, limitedUntil) => {
    say(text)
    if (limitedUntil > deadline) leave()
  })
  try {
    return await ended
  } finally {
    over.abort()
    asked.unsubscribe()
    endLimits()
    endLook()
    endHeartbeat()
    cancelTimer()
    signal.removeEventListener('abort', leave)
  }
}

/** The progress text when the turn, or one that it waits for, cannot continue. */
async function troubleOf(turnId: string, waiting: Waiting, isAlone: boolean): Promise<string | undefined> {
  const unreachable = await unreachableText(turnId, waiting)
  if (unreachable !== undefined) return unreachable
  const stuck = await stuckText(turnId, waiting.turns, false)
  if (stuck !== undefined) return `It makes no progress: ${stuck}.`
  const waits = waiting.waits.of(turnId, isAlone)
  // Limits are reported to the caller with their time.
  return waits === undefined || waits.kind === 'limit'
    ? undefined
    : `Turn ${turnId} is waiting. ${waitsForText(waits)}.`
}

/** The progress text when the machine of the turn, or of one that it waits for, is unreachable; otherwise undefined. */
async function unreachableText(turnId: string, waiting: Waiting): Promise<string | undefined> {
  const turn = (await waiting.turns.living([turnId])).get(turnId)
  if (turn === undefined || turn.end !== undefined) return undefined
  const link = waiting.machines.linkOf(turn.pair.to)
  if (link?.state === 'unreachable' && link.since !== undefined) {
    const seconds = Math.round((waiting.clock.now() - link.since) / 1000)
    return `The machine of ${turn.pair.to} has been unreachable for ${seconds} s; work there continues.`
  }
  for (const id of turn.awaits) {
    const below = await unreachableText(id, waiting)
    if (below !== undefined) return below
  }
  return undefined
}
