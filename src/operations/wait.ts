import { every } from '../lib/clock.ts'
import { IrisError } from '../protocol/error.ts'
import { longestTimeoutMs } from '../protocol/operations/messages.ts'
import { progressText } from '../turn/progress.ts'
import type { Turn } from '../turn/turn.ts'
import type { Call, Domain } from './call.ts'
import { permissionAwaited } from './permission-awaited.ts'

/** A waiting caller hears something at least this often, or its client takes the line for dead. */
const heartbeatMs = 15_000

/** -1, 0, or 1 to an hour. Throws `timeout_out_of_range`. */
export function checkedTimeout(timeout: number): number {
  if (timeout >= -1 && timeout <= longestTimeoutMs) return timeout
  throw new IrisError(
    'timeout_out_of_range',
    `timeout is ${timeout} ms.`,
    `Use -1 (do not wait), 0 (wait until it ends), or 1 to ${longestTimeoutMs}.`,
  )
}

interface Waiting extends Pick<Domain, 'clock'> {
  readonly orchestrator: Pick<Domain['orchestrator'], 'find'>
  readonly questions: Pick<Domain['questions'], 'asked$' | 'ofTurn'>
}

/** Waits for a turn as long as the caller wants: 0 until it ends, more that many ms. Ends early when the caller goes. */
export async function waitFor(
  turn: Turn,
  timeoutMs: number,
  { signal, progress }: Call,
  waiting: Waiting,
): Promise<void> {
  if (turn.end !== undefined || signal.aborted) return
  const { clock, questions } = waiting
  const over = Promise.withResolvers<void>()
  const takeBack = timeoutMs > 0 ? clock.after(timeoutMs, over.resolve) : () => {}
  const leave = (): void => over.resolve()
  signal.addEventListener('abort', leave)
  const say = (message: string): void => progress({ turnId: turn.id, message })
  const sayPermission = (otherwise?: string): void => {
    const awaited = permissionAwaited(turn, waiting)
    if (awaited !== undefined) say(`Waits for a permission: ${awaited}. A person answers it with "iris permissions".`)
    else if (otherwise !== undefined) say(otherwise)
  }
  sayPermission(
    turn.dispatchedAt === null
      ? `Turn ${turn.id} is accepted and waits for its place.`
      : `Turn ${turn.id} is under way.`,
  )
  const endHeartbeat = every(clock, heartbeatMs, () => sayPermission(`Turn ${turn.id} goes on.`))
  const asked = questions.asked$.subscribe(() => sayPermission())
  const lines = turn.messages$.subscribe((line) => {
    const text = progressText(line)
    if (text !== undefined) say(text)
  })
  await Promise.race([turn.settled, over.promise])
  lines.unsubscribe()
  asked.unsubscribe()
  endHeartbeat()
  takeBack()
  signal.removeEventListener('abort', leave)
}
