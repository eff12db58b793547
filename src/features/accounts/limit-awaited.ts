import { isLoginLimit, type Limited } from '../../base/protocol/limit.ts'
import { isOpenSessionThread } from '../../base/protocol/open-session-thread.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import type { AccountLimits } from './account-limits.ts'

/** The limit for which the turn waits, or the turn before it in their queue. */
export async function limitAwaited(
  turnId: string,
  turns: Pick<Turns, 'living'>,
  accountLimits: Pick<AccountLimits, 'of' | 'holds'>,
): Promise<Limited | undefined> {
  const turn = (await turns.living([turnId])).get(turnId)
  if (turn === undefined || turn.end !== undefined || isOpenSessionThread(turn.pair.thread)) return undefined
  const limited = accountLimits.of(turn.pair.to, turnId)
  if (limited === undefined || accountLimits.holds(turnId)) return limited
  // The first of a queue may be at work, or may try a login that ran out.
  const isQueued = turn.firstAt === null && turn.dispatchedAt === null
  return isQueued && !isLoginLimit(limited.window) ? limited : undefined
}
