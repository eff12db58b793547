import type { AgentProcess } from '../../base/agent/process.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Session } from '../session/session.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * Resolves to the session's process, or to undefined if the turn is cancelled first; the process then returns to the
 * pool when it is ready. `whenBroken`: a new turn waits while the breaker is open; a turn whose process has died does
 * not.
 */
export async function acquireFor(
  turn: Turn,
  session: Session,
  { ends, pool }: Pick<OrchestratorParts, 'ends' | 'pool'>,
  whenBroken: 'wait' | 'refuse',
): Promise<AgentProcess | undefined> {
  ends.catchUp()
  const acquired = pool.acquire(session, turn.cancelled, whenBroken)
  const gone = Promise.withResolvers<undefined>()
  const onCancel = (): void => gone.resolve(undefined)
  turn.cancelled.addEventListener('abort', onCancel, { once: true })
  const process = await Promise.race([acquired, gone.promise])
  turn.cancelled.removeEventListener('abort', onCancel)
  if (process === undefined) {
    acquired.then(
      () => pool.release(session),
      () => {},
    )
  }
  return process
}
