import { isLoginLimit, type Limited } from '../../base/protocol/limit.ts'
import { isOpenSessionThread } from '../../base/protocol/open-session-thread.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import type { AccountLimits } from './account-limits.ts'

/** The limit that the turn waits for, or that the turn ahead of it in the queue waits for. */
export async function limitAwaited(
  turnId: string,
  turns: Pick<Turns, 'living'>,
  accountLimits: Pick<AccountLimits, 'of' | 'holds'>,
): Promise<Limited | undefined> {
  const turn = (await turns.living([turnId])).get(turnId)
  if (turn === undefined || turn.end !== undefined || isOpenSessionThread(turn.pair.thread)) return undefined
  const limited = accountLimits.of(turn.pair.to, turnId)
  if (limited === undefined || accountLimits.holds(turnId)) return limited
  // The first turn of the queue may be running, or may be trying a login that ran out.
  const isQueued = turn.firstAt === null && turn.dispatchedAt === null
  return isQueued && !isLoginLimit(limited.window) ? limited : undefined
}
