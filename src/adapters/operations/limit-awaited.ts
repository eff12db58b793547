import { limitWords, loginLimit } from '../../base/protocol/limit.ts'
import { isLiveThread } from '../../base/protocol/live.ts'
import type { Turns } from '../../core/orchestrator/turn-handle.ts'
import type { Limited } from '../../core/pool/account-limits.ts'
import type { Domain } from './call.ts'

export interface Limits {
  readonly turns: Pick<Turns, 'living'>
  readonly accountLimits: Pick<Domain['accountLimits'], 'of' | 'holds' | 'news$'>
}

/**
 * Tells now and later, in plain words, that the turn waits for a limit of its account, and until when at least: a login
 * that ran out may work again at any time. Returns what ends that.
 */
export function hearLimits(turnId: string, limits: Limits, hear: (text: string, least: number) => void): () => void {
  const look = async (): Promise<void> => {
    const limited = await limitAwaited(turnId, limits)
    if (limited === undefined) return
    const { window, until } = limited
    const text = `Turn ${turnId} waits. Its account: ${limitWords(window, new Date(until).toISOString())}.`
    hear(text, window === loginLimit ? 0 : until)
  }
  const news = limits.accountLimits.news$.subscribe((held) => {
    if (held === undefined || held === turnId) void look()
  })
  void look()
  return () => news.unsubscribe()
}

/** The limit for which the turn waits, or the turn before it in their queue. */
async function limitAwaited(turnId: string, { turns, accountLimits }: Limits): Promise<Limited | undefined> {
  const turn = (await turns.living([turnId])).get(turnId)
  if (turn === undefined || turn.end !== undefined || isLiveThread(turn.pair.thread)) return undefined
  const limited = accountLimits.of(turn.pair.to, turnId)
  if (limited === undefined || accountLimits.holds(turnId)) return limited
  // The first of a queue may be at work, or may try a login that ran out.
  const isQueued = turn.firstAt === null && turn.dispatchedAt === null
  return isQueued && limited.window !== loginLimit ? limited : undefined
}
